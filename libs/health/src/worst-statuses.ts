import type { ShownSpan, ShownStatus } from './uptime.ts';

/** The worst first. */
const worst: readonly ShownStatus[] = ['Down', 'Unknown', 'Maint', 'Up'];

/**
 * The worst status of each of `parts` stretches of `partUs` from `fromUs` on; undefined where no span touches the stretch. `spans` are in
 * the order of time and do not overlap. Pure.
 */
export function worstStatuses(
  spans: readonly ShownSpan[],
  { fromUs, partUs, parts }: { readonly fromUs: number; readonly partUs: number; readonly parts: number },
): readonly (ShownStatus | undefined)[] {
  const found: (ShownStatus | undefined)[] = Array.from({ length: parts }, () => undefined);
  for (const { fromUs: beginUs, toUs, status } of spans) {
    const first = Math.max(0, Math.floor((beginUs - fromUs) / partUs));
    const last = Math.min(parts - 1, Math.ceil((toUs - fromUs) / partUs) - 1);
    for (let part = first; part <= last; part += 1) {
      const before = found[part];
      if (before === undefined || worst.indexOf(status) < worst.indexOf(before)) found[part] = status;
    }
  }
  return found;
}
