import type { DeviceStatus, Span } from '@vantage/domain';
import type { ShownSpan } from './uptime.ts';
import { worseOf } from './worst-statuses.ts';

/** A stretch of time as a page draws it: one status, or the worst of several short stretches. */
export interface DrawnSpan extends Span {
  readonly status: DeviceStatus;
  readonly isMixed: boolean;
}

/**
 * Joins neighbours that are shorter than a resolution under their worst status, so that the number of spans is bounded
 * by the period: at most two for each resolution, and one more. Pure.
 *
 * | stretches | drawn as |
 * |---|---|
 * | one of at least the resolution | itself |
 * | neighbours that are shorter | joined from the first one on, until together they are as long as the resolution |
 * | one shorter, between two that are not | itself |
 *
 * `spans` are in the order of time, without holes.
 */
export function joinShort(spans: readonly ShownSpan[], resolutionUs: number): readonly DrawnSpan[] {
  const drawn: DrawnSpan[] = [];
  const isShort = (span: Span) => span.toUs - span.fromUs < resolutionUs;
  for (const { fromUs, toUs, status } of spans) {
    const last = drawn.at(-1);
    if (last !== undefined && isShort(last) && isShort({ fromUs, toUs }))
      drawn[drawn.length - 1] = {
        fromUs: last.fromUs,
        toUs,
        status: worseOf(last.status, status),
        isMixed: true,
      };
    else drawn.push({ fromUs, toUs, status, isMixed: false });
  }
  return drawn;
}
