import type { AlertKind, Facts } from '@vantage/alerts';

/**
 * The key of an open alert within its account. A Location may have alerts of several anchors; their Targets
 * differ.
 */
export function alertKey({
  kind,
  device,
  locationNo,
  opening,
}: {
  readonly kind: AlertKind;
  readonly device: { readonly deviceNo: number } | null;
  readonly locationNo: number | null;
  readonly opening: Facts;
}): string {
  if (device !== null) return `${kind}/device/${device.deviceNo}`;
  const anchor = kind === 'anchor.down' ? `/${JSON.stringify(opening['Target'])}` : '';
  return `${kind}/location/${locationNo}${anchor}`;
}
