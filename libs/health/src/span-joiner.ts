import type { DeviceStatus, Span } from '@vantage/domain';
import type { ShownSpan } from './timeline.ts';
import { worseOf } from './worst-statuses.ts';

/** A span of time as a page draws it: one status, or the worst status of several short spans. */
export interface DrawnSpan extends Span {
  readonly status: DeviceStatus;
  readonly isMixed: boolean;
}

/** Joins the spans of a device while they arrive. */
export interface SpanJoiner {
  /**
   * Adds spans in the order of time. The spans of all calls follow each other without gaps. The first one may continue
   * the status of the last one.
   */
  add(spans: readonly ShownSpan[]): void;
  /** All added spans, joined. */
  readonly drawn: readonly DrawnSpan[];
  /** The number of `drawn`, or one less. */
  readonly size: number;
}

/**
 * Creates a joiner. Neighbours that are shorter than the resolution are joined under their worst status. So the period
 * bounds the number of spans: at most two for each resolution, and one more.
 *
 * | spans | drawn as |
 * |---|---|
 * | not shorter than the resolution | itself |
 * | shorter neighbours | joined from the first one on, until together they are as long as the resolution |
 * | a shorter one between two longer ones | itself |
 */
export function createSpanJoiner(resolutionUs: number): SpanJoiner {
  const drawn: DrawnSpan[] = [];
  const isShort = (span: Span) => span.toUs - span.fromUs < resolutionUs;
  // The next call may continue the last span.
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
      const spans = [...drawn];
      if (pending !== undefined) draw(spans, pending);
      return spans;
    },
  };
}
