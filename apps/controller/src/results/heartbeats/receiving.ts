import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { beginSpan, clampSpans, extendSpan } from './receiver-store.ts';

const everyMs = 2_000;
/** A process that did not run for this long could not receive calls. */
export const stalledMs = 10_000;
/** The shared clock runs at most a tenth faster or slower than time; more is a step. */
const steppedMs = 1_500;

/** The times of two rounds. */
interface Round {
  readonly nowUs: number;
  readonly monoMs: number;
}

/**
 * Whether a span continues from one round to the next. It ends where the process stood still, where the shared clock
 * was set, and where a call could not be stored. Pure.
 */
export function goesOn(before: Round, now: Round, hasFailed: boolean): boolean {
  const passedMs = now.monoMs - before.monoMs;
  const steppedBy = Math.abs((now.nowUs - before.nowUs) / 1000 - passedMs);
  return !hasFailed && passedMs < stalledMs && steppedBy < steppedMs;
}

/** Records in which spans this controller receives calls. */
export interface Receiving {
  /** A call could not be stored: the present span ends before it. */
  noteFailure(): void;
  /** Extends the present span to now, or begins another one. */
  round(): Promise<void>;
  /** Runs from when the port is open until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

interface ReceivingDeps {
  readonly kysely: Kysely<Tables>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly controllerId: string;
  /** The moment of the oldest call that is not stored yet. */
  readonly oldestWaitingUs: () => number | undefined;
}

export function createReceiving({
  kysely,
  clock,
  log,
  controllerId,
  oldestWaitingUs,
}: ReceivingDeps): Receiving {
  let failures = 0;
  let handled = 0;
  let span: (Round & { readonly no: number }) | undefined;

  const round = async () => {
    const now = { nowUs: clock.nowUs(), monoMs: clock.monoMs() };
    const failed = failures;
    // Calls of this moment are counted as waiting by the next round.
    const toUs = Math.min(now.nowUs, (oldestWaitingUs() ?? Number.MAX_SAFE_INTEGER) - 1);
    if (span !== undefined && goesOn(span, now, failed !== handled)) {
      if (await extendSpan(kysely, span.no, { toUs, ended: false })) {
        span = { ...now, no: span.no };
        return;
      }
    }
    if (span !== undefined && now.nowUs < span.nowUs) await clampSpans(kysely, now.nowUs);
    span = { ...now, no: await beginSpan(kysely, controllerId, now.nowUs) };
    handled = failed;
  };

  return {
    round,
    noteFailure() {
      failures += 1;
    },
    async run(signal) {
      while (!signal.aborted) {
        await round().catch((error: unknown) => {
          failures += 1;
          log.debug({ error: messageOf(error) }, 'the next round records that calls are received');
        });
        await clock.sleep(everyMs, signal).catch(() => {});
      }
      const toUs = Math.min(clock.nowUs(), (oldestWaitingUs() ?? Number.MAX_SAFE_INTEGER) - 1);
      if (span !== undefined) await extendSpan(kysely, span.no, { toUs, ended: true }).catch(() => {});
    },
  };
}
