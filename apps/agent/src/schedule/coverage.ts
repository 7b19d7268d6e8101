import type { Span } from '@vantage/domain';
import { declareState } from '@vantage/kernel';

/** The time spans in which the agent started everything that was due. Corrected microseconds. */
export interface Coverage {
  /** Coverage starts here. */
  begin(atUs: number): void;
  /** Checks due in [fromUs, toUs) did not start in time: the span ends before it, and another starts after it. */
  broken(fromUs: number, toUs: number): void;
  /** The clock was set: the span ends at `beforeUs`, and another starts at `afterUs`. */
  stepped(beforeUs: number, afterUs: number): void;
  /**
   * Returns the spans to report now. `waitingUs`: the oldest due time whose check has not started; the time from there
   * on is not covered yet.
   */
  take(nowUs: number, waitingUs: number | undefined): readonly Span[];
  /** The end of the last reported span. */
  readonly reportedUs: number;
}

/** Further spans are not reported, so their time counts as not covered. */
const maxSpans = 10_000;
const tracked = declareState({
  name: 'coverage_spans',
  entries: maxSpans,
  entryBytes: 100,
  filledBy: 'checks that start late',
  atBound: 'the time counts as not covered',
});

/** Creates the coverage. Nothing is covered before `begin`. */
export function createCoverage(): Coverage {
  let beginUs = Number.POSITIVE_INFINITY;
  let reportedUs = 0;
  const closed: Span[] = tracked([]);
  const close = (toUs: number) => {
    if (toUs > beginUs && closed.length < maxSpans) closed.push({ fromUs: beginUs, toUs });
  };
  return {
    begin(atUs) {
      beginUs = atUs;
    },
    broken(brokenFromUs, brokenToUs) {
      close(brokenFromUs);
      beginUs = Math.max(beginUs, brokenToUs);
    },
    stepped(beforeUs, afterUs) {
      if (beginUs === Number.POSITIVE_INFINITY) return;
      close(beforeUs);
      beginUs = afterUs;
    },
    take(nowUs, waitingUs) {
      const toUs = Math.min(nowUs, waitingUs ?? nowUs);
      close(toUs);
      beginUs = Math.max(beginUs, toUs);
      const spans = closed.splice(0);
      const last = spans.at(-1);
      if (last) reportedUs = last.toUs;
      return spans;
    },
    get reportedUs() {
      return reportedUs;
    },
  };
}
