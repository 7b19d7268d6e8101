import type { DeviceStatus } from '@vantage/domain';
import type { ShownSpan } from './uptime.ts';

/** The worst first. */
const worst: readonly DeviceStatus[] = ['Down', 'Unknown', 'Maint', 'Up'];

/** The worse of two statuses: Down, Unknown, Maint, Up. */
export function worseOf(one: DeviceStatus, other: DeviceStatus): DeviceStatus {
  return worst.indexOf(other) < worst.indexOf(one) ? other : one;
}

/**
 * The worst status of each of `parts` stretches of `partUs` from `fromUs` on; undefined where no span touches the
 * stretch. `spans` are in the order of time and do not overlap; `before` is the result for spans that came before.
 * Pure.
 */
export function worstStatuses(
  spans: readonly ShownSpan[],
  { fromUs, partUs, parts }: { readonly fromUs: number; readonly partUs: number; readonly parts: number },
  before: readonly (DeviceStatus | undefined)[] = [],
): readonly (DeviceStatus | undefined)[] {
  const found = Array.from({ length: parts }, (_, part) => before[part]);
  for (const { fromUs: beginUs, toUs, status } of spans) {
    const first = Math.max(0, Math.floor((beginUs - fromUs) / partUs));
    const last = Math.min(parts - 1, Math.ceil((toUs - fromUs) / partUs) - 1);
    for (let part = first; part <= last; part += 1) {
      const known = found[part];
      found[part] = known === undefined ? status : worseOf(known, status);
    }
  }
  return found;
}
