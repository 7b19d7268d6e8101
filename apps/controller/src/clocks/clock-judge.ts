import { hostname } from 'node:os';
import { createJobParts, type Logger } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../db/index.ts';
import { accountOffsets, databaseNowUs, newestStoredUs } from './clock-store.ts';
import type { HeldClock } from './held-clock.ts';
import { type ClockVerdict, judgeClock } from './judge-clock.ts';

/** Watches whether the controller's clock is right. */
export interface ClockJudge {
  /** A sentence for the operator while the clock is wrong. */
  readonly problem: string | undefined;
  /** The clock has been right for an hour: what is older than the retention may be deleted. */
  readonly mayDelete: boolean;
  /** The clock has been right for half a minute: a result may be refused for its time. */
  readonly mayRefuse: boolean;
  /** Compares the clocks until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const everyMs = 10_000;
/** An agent that comes back needs a moment until its offset is known. */
const refuseAfterMs = 30_000;
const deleteAfterMs = 3_600_000;
/** Times that were stored before the start are evidence for so long. */
const storedCountsMs = 3_600_000;

/** The judge of this machine's controller. Call it before the controller stores anything. */
export async function openClockJudge(
  deps: Omit<Parameters<typeof createClockJudge>[0], 'hostName' | 'storedUs'>,
): Promise<ClockJudge> {
  return createClockJudge({ ...deps, hostName: hostname(), storedUs: await newestStoredUs(deps.kysely) });
}

/**
 * `storedUs` is the newest time that was stored before the start. Without an hour of comparisons nothing
 * may be deleted.
 */
export function createClockJudge(deps: {
  readonly kysely: Kysely<Tables>;
  readonly clock: HeldClock;
  readonly log: Logger;
  /** The database runs on another machine, so its clock is another one. */
  readonly isDatabaseElsewhere: boolean;
  readonly hostName: string;
  readonly storedUs: number | undefined;
}): ClockJudge {
  const { kysely, clock, log, storedUs } = deps;
  const startedMs = clock.monoMs();
  const parts = createJobParts({
    log,
    failed: 'the clocks cannot be compared; trying again',
    recovered: 'the clocks are compared again',
  });
  let verdict: ClockVerdict = { kind: 'agrees' };
  let agreesFromMs: number | undefined;
  const agreedFor = (ms: number) => agreesFromMs !== undefined && clock.monoMs() - agreesFromMs >= ms;
  /** A step is noticed at once, not with the next comparison. */
  const agrees = () => verdict.kind === 'agrees' && clock.held === undefined;

  const compare = async () => {
    const [databaseUs, offsets] = await Promise.all([
      deps.isDatabaseElsewhere ? databaseNowUs(kysely) : undefined,
      accountOffsets(kysely, deps.hostName),
    ]);
    const nowUs = clock.nowUs();
    const isYoung = clock.monoMs() - startedMs < storedCountsMs;
    return judgeClock({
      held: clock.held,
      databaseAheadUs: databaseUs === undefined ? undefined : databaseUs - nowUs,
      agentsAheadUs: offsets.map((offsetUs) => -offsetUs),
      storedAheadUs: storedUs !== undefined && isYoung ? storedUs - nowUs : undefined,
    });
  };
  const apply = (next: ClockVerdict) => {
    if (next.kind === 'follow') {
      log.warn(
        { byUs: clock.held?.wallAheadUs },
        "the controller follows the new time of this machine's clock",
      );
      clock.follow();
    }
    const before = verdict;
    verdict = next.kind === 'follow' ? { kind: 'agrees' } : next;
    if (verdict.kind === 'wrong') {
      agreesFromMs = undefined;
      if (before.kind !== 'wrong')
        log.error(
          { reason: verdict.text },
          'a clock is wrong: nothing is deleted, and no result is refused for its time',
        );
    } else {
      if (before.kind === 'wrong' || next.kind === 'follow') agreesFromMs = undefined;
      agreesFromMs ??= clock.monoMs();
      if (before.kind === 'wrong') log.info('the clocks agree again');
    }
  };
  return {
    get problem() {
      return verdict.kind === 'wrong' ? verdict.text : undefined;
    },
    get mayDelete() {
      return agrees() && agreedFor(deleteAfterMs);
    },
    get mayRefuse() {
      return agrees() && agreedFor(refuseAfterMs);
    },
    async run(signal) {
      while (!signal.aborted) {
        await parts.attempt('clocks', async () => apply(await compare()));
        await clock.sleep(everyMs, signal).catch(() => {});
      }
    },
  };
}
