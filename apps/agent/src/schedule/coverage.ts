import type { Span } from '@vantage/domain';

/** Keeps in which spans everything that was due was started. */
export interface Coverage {
  /** From here on something is covered. */
  begin(atUs: number): void;
  /** Everything due in [fromUs, toUs) was not started in time: the span ends before it and begins anew after it. */
  broken(fromUs: number, toUs: number): void;
  /** The clock itself was put right: what is covered ends at `beforeUs` and goes on at `afterUs`. */
  stepped(beforeUs: number, afterUs: number): void;
  /**
   * The spans to tell now. `waitingUs` is the oldest due time that still waits to be started: nothing from there on is
   * covered yet.
   */
  take(nowUs: number, waitingUs: number | undefined): readonly Span[];
  /** Up to where it was told. */
  readonly reportedUs: number;
}

/** Makes the keeper of coverage; nothing is covered before `begin`. */
export function createCoverage(): Coverage {
  let beginUs = Number.POSITIVE_INFINITY;
  let reportedUs = 0;
  const closed: Span[] = [];
  const close = (toUs: number) => {
    if (toUs > beginUs) closed.push({ fromUs: beginUs, toUs });
  };
  return {
    begin(atUs) {
      beginUs = atUs;
    },
    broken(brokenFromUs, brokenToUs) {
      if (brokenToUs <= beginUs) return;
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
      if (toUs > beginUs) {
        close(toUs);
        beginUs = toUs;
      }
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
