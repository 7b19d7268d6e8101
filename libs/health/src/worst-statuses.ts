import type { DeviceStatus } from '@vantage/domain';
import type { ShownSpan } from './timeline.ts';

/** Worst first. */
const worst: readonly DeviceStatus[] = ['Down', 'Unknown', 'Maint', 'Up'];

/** The worse of two statuses, in the order Down, Unknown, Maint, Up. */
export function worseOf(a: DeviceStatus, b: DeviceStatus): DeviceStatus {
  return worst.indexOf(b) < worst.indexOf(a) ? b : a;
}

/**
 * The worst status of each of `parts` parts of `partUs` from `fromUs` on; undefined for a part without a span. `spans`
 * are in the order of time and do not overlap; `before` is the result for earlier spans. Pure.
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
