import type { DeviceStatus, Span } from '@vantage/domain';
import type { ShownSpan } from './uptime.ts';
import { worseOf } from './worst-statuses.ts';

/** A stretch of time as a page draws it: one status, or the worst of several short stretches. */
export interface DrawnSpan extends Span {
  readonly status: DeviceStatus;
  readonly isMixed: boolean;
}

/** Spans of a device that are joined as they come. */
export interface SpanJoiner {
  /**
   * Adds spans in the order of time, without holes, also between those that were added before and these. The first may
   * go on with the status of the last one before.
   */
  add(spans: readonly ShownSpan[]): void;
  /** All that was added, joined. */
  readonly drawn: readonly DrawnSpan[];
  /** Their number, or one less. */
  readonly size: number;
}

/**
 * Creates a joiner. Neighbours that are shorter than a resolution are joined under their worst status, so that the
 * number of spans is bounded by the period: at most two for each resolution, and one more. Nothing else is held.
 *
 * | stretches | drawn as |
 * |---|---|
 * | one of at least the resolution | itself |
 * | neighbours that are shorter | joined from the first one on, until together they are as long as the resolution |
 * | one shorter, between two that are not | itself |
 */
export function createSpanJoiner(resolutionUs: number): SpanJoiner {
  const drawn: DrawnSpan[] = [];
  const isShort = (span: Span) => span.toUs - span.fromUs < resolutionUs;
  // The last one may go on in the next part.
  let pending: ShownSpan | undefined;
  const draw = (into: DrawnSpan[], { fromUs, toUs, status }: ShownSpan) => {
    const last = into.at(-1);
    if (last !== undefined && isShort(last) && isShort({ fromUs, toUs }))
      into[into.length - 1] = {
        fromUs: last.fromUs,
        toUs,
        status: worseOf(last.status, status),
        isMixed: true,
      };
    else into.push({ fromUs, toUs, status, isMixed: false });
  };
  return {
    add(spans) {
      for (const span of spans) {
        if (pending?.status === span.status) pending = { ...pending, toUs: span.toUs };
        else {
          if (pending !== undefined) draw(drawn, pending);
          pending = span;
        }
      }
    },
    get size() {
      return drawn.length;
    },
    get drawn() {
      const all = [...drawn];
      if (pending !== undefined) draw(all, pending);
      return all;
    },
  };
}
