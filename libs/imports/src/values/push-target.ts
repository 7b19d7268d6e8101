import type { MappedTarget } from '../found-check.ts';

/** The intervals of a device, in seconds. */
const intervals = [5, 10, 15, 20, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600];
const minGraceS = 60;

/**
 * A device that waits for the calls of a job at least every `intervalS`. It is late when the other tool says so, a
 * minute later at most: what an interval here is shorter is added to the grace. Pure.
 */
export function pushTarget(
  intervalS: number,
  graceS: number,
): MappedTarget & { readonly intervalSeconds: number } {
  const shorter = intervals.findLast((seconds) => seconds <= intervalS) ?? intervals[0] ?? 1;
  return {
    method: 'Push',
    url: 'push:',
    intervalSeconds: shorter,
    options: { GraceSeconds: Math.max(minGraceS, graceS) + Math.max(0, Math.ceil(intervalS) - shorter) },
    lost: [
      'the address that its job calls: each device has a new one (PUT /devices/{device_id}/push/rotate shows it)',
    ],
  };
}
