import { hostname } from 'node:os';
import { hourMs } from '@vantage/domain';
import { createJobParts } from '@vantage/kernel';
import { isNear } from './clock-difference.ts';
import { accountNames, advanceStoredTime, isDatabaseApart, readDatabaseTime } from './clock-store.ts';
import { createFollower, type Followed, type FollowerDeps } from './follow-database.ts';
import { type ClockVerdict, judgeClock } from './judge-clock.ts';
import { maxSlewUs } from './shared-clock.ts';

/** Keeps the controller's clock on the time of the database, and watches whether that is right. */
export interface TimeKeeper {
  /** A sentence for the operator while the time is wrong or unproven. */
  readonly problem: string | undefined;
  /** A sentence while clocks disagree, for these accounts only or (undefined) for all. */
  readonly alarm: { readonly reason: string; readonly accountNos: readonly number[] | undefined } | undefined;
  /** The clocks have agreed for an hour: what is older than the retention may be deleted. */
  readonly mayDelete: boolean;
  /** The clocks have agreed for half a minute: a result or a delivery may be given up for its time. */
  readonly mayRefuse: boolean;
  /**
   * The time from which ages count that end in a deletion. It passes while a controller runs, and follows the clock
   * over a leap only after other clocks confirmed it for an hour. The one controller that deletes calls it.
   */
  advance(): Promise<number>;
  /** At the last `advance`, times were stored that are later than now: the clock was ahead. */
  readonly wasAhead: boolean;
  /** Compares the clocks until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const everyMs = 10_000;
/** An agent that comes back needs a moment until its offset is known. */
const refuseAfterMs = 30_000;
const deleteAfterMs = hourMs;
/** Calls of `advance` that are further apart may have another controller's between them. */
const maxAdvanceMs = 120_000;
const agentsDiffer = "the clocks of your agents are more than a minute from the controller's";

/**
 * The time keeper of this machine's controller. The clock shows the database's time afterwards: call it before anything
 * is stored. `ownsDatabase`: the database is a child of the controller's.
 */
export async function openTimeKeeper(
  deps: Pick<FollowerDeps, 'kysely' | 'clock' | 'log' | 'gatewayId'> & { readonly ownsDatabase: boolean },
): Promise<TimeKeeper> {
  const { kysely, ownsDatabase } = deps;
  const isApart = !ownsDatabase && (await isDatabaseApart(kysely));
  const readTime = () => readDatabaseTime(kysely);
  const keeper = createTimeKeeper({ ...deps, hostName: hostname(), isApart, readTime });
  await keeper.begin();
  return keeper;
}

/** The time keeper; `begin` sets the clock. Without an hour of comparisons nothing may be deleted. */
export function createTimeKeeper(deps: FollowerDeps): TimeKeeper & { begin(): Promise<void> } {
  const { kysely, clock, log, isApart } = deps;
  const parts = createJobParts({
    log,
    failed: 'the clocks cannot be compared; trying again',
    recovered: 'the clocks are compared again',
  });
  const follower = createFollower(deps);
  let verdict: ClockVerdict = { kind: 'agrees', isConfirmed: false };
  let alarm: TimeKeeper['alarm'];
  let agreesFromMs: number | undefined;
  let confirmedFromMs: number | undefined;
  let advancedMs: number | undefined;
  let wasAhead = false;
  const lasts = (fromMs: number | undefined, ms: number) =>
    fromMs !== undefined && clock.monoMs() - fromMs >= ms;
  /** A step of the machine's clock is noticed at once, not with the next comparison. */
  const agrees = () => verdict.kind === 'agrees' && isNear(clock.machineAheadUs);

  const apply = async (next: ClockVerdict, objectors: readonly number[]) => {
    const before = verdict;
    verdict = next;
    const isSame = before.kind === verdict.kind;
    const nowMs = clock.monoMs();
    const since = (fromMs: number | undefined) => (isSame ? (fromMs ?? nowMs) : nowMs);
    const isConfirmed = verdict.kind === 'agrees' && verdict.isConfirmed;
    agreesFromMs = verdict.kind === 'agrees' ? since(agreesFromMs) : undefined;
    confirmedFromMs = isConfirmed ? since(confirmedFromMs) : undefined;
    if (isConfirmed) follower.believeStart();
    if (isSame) return;
    if (verdict.kind === 'wrong')
      log.error(
        { reason: verdict.text, accounts: await accountNames(kysely, objectors) },
        'a clock is wrong: nothing is deleted, and no result is refused for its time',
      );
    else if (verdict.kind === 'unproven')
      log.warn(
        { reason: verdict.text },
        'the clock may be wrong: nothing is deleted or refused for its time',
      );
    else log.info('the clocks agree again');
  };
  const judge = async ({ correctionUs, agents, gapUs, hasStepped }: Followed) => {
    if (hasStepped) agreesFromMs = undefined;
    await apply(
      judgeClock({ correctionUs, machineAheadUs: clock.machineAheadUs, isApart, agents, gapUs }),
      agents.objectors,
    );
    // The agents of fewer than half of the accounts must not alarm the others.
    const others = { reason: agentsDiffer, accountNos: agents.objectors };
    if (verdict.kind === 'wrong') alarm = { reason: verdict.text, accountNos: undefined };
    else alarm = agents.objectors.length > 0 ? others : undefined;
  };
  return {
    begin: async () => judge(await follower.begin()),
    get problem() {
      return 'text' in verdict ? verdict.text : undefined;
    },
    get alarm() {
      return alarm;
    },
    get mayDelete() {
      return agrees() && lasts(agreesFromMs, deleteAfterMs);
    },
    get mayRefuse() {
      return agrees() && lasts(agreesFromMs, refuseAfterMs);
    },
    async advance() {
      const nowMs = clock.monoMs();
      const elapsedMs = nowMs - (advancedMs ?? nowMs);
      advancedMs = nowMs;
      const nowUs = clock.nowUs();
      const { agreedUs, latestUs } = await advanceStoredTime(kysely, {
        nowUs,
        elapsedUs: elapsedMs > maxAdvanceMs ? 0 : elapsedMs * 1000,
        isConfirmed: agrees() && lasts(confirmedFromMs, deleteAfterMs),
      });
      wasAhead = latestUs > nowUs + maxSlewUs;
      return agreedUs;
    },
    get wasAhead() {
      return wasAhead;
    },
    async run(signal) {
      while (!signal.aborted) {
        await parts.attempt('clocks', async () => judge(await follower.compare(signal)));
        await clock.sleep(everyMs, signal).catch(() => {});
      }
    },
  };
}
