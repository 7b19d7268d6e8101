import { dayMs } from '@vantage/domain';
import type { Logger } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { type AgentsWord, agentsWord } from './agents-word.ts';
import { isNear } from './clock-difference.ts';
import { beginStoredTime, connectedAccounts, type DatabaseTime, storeCorrection } from './clock-store.ts';
import { chooseCorrection, correctionAtStart, leapUs } from './judge-clock.ts';
import { maxRoundTripUs, provenOffsetUs, type Sample } from './measure-offset.ts';
import { maxSlewUs, type SharedClock } from './shared-clock.ts';

export interface FollowerDeps {
  readonly kysely: Kysely<Tables>;
  readonly clock: SharedClock;
  readonly log: Logger;
  /** This controller's id. */
  readonly gatewayId: string;
  readonly hostName: string;
  /** The database runs on another machine, as far as the controller can tell. */
  readonly isApart: boolean;
  readonly readTime: () => Promise<DatabaseTime>;
}

/** Readings of the database's clock in one comparison. */
const samplesEach = 3;
/** All controllers compare within this time, so all of them make a decided step at the same time after it. */
const noticeMs = 15_000;
/** After a step of the controller's clock, its agents' offsets are measured and stored within this time. */
const measuredMs = 60_000;
/** A leap that was not corrected within this time counts as correct. */
const leapCountsMs = 7 * dayMs;

/** A comparison of the clocks, after which the controller's shows the shared time. */
export interface Followed {
  readonly correctionUs: number;
  readonly agents: AgentsWord;
  /** The leap over the time without a controller, while it is suspicious. */
  readonly gapUs: number | undefined;
  /** The controller's clock made a step. */
  readonly hasStepped: boolean;
}

/** Reads the other clocks, decides which time is shared, and sets the controller's clock to it. */
export function createFollower({ kysely, clock, log, isApart, hostName, gatewayId, readTime }: FollowerDeps) {
  const startedMs = clock.monoMs();
  let agentsFromMs = startedMs;
  let correctionUs = 0;
  let correctionNo = 0;
  let step: { readonly aheadUs: number; readonly fromMs: number } | undefined;
  let startSeenUs: number | undefined;

  /** The database's time, and how far its clock is from the controller's. Undefined: each answer took too long. */
  const measure = async (): Promise<(DatabaseTime & { readonly aheadUs: number }) | undefined> => {
    const samples: Sample[] = [];
    let read: DatabaseTime | undefined;
    for (let i = 0; i < samplesEach; i += 1) {
      const beforeMs = clock.monoMs();
      read = await readTime();
      const roundTripUs = (clock.monoMs() - beforeMs) * 1000;
      samples.push({ aheadUs: read.databaseUs + roundTripUs / 2 - clock.nowUs(), roundTripUs });
      if (roundTripUs > maxRoundTripUs) break;
    }
    const aheadUs = provenOffsetUs(samples);
    return read === undefined || aheadUs === undefined ? undefined : { ...read, aheadUs };
  };
  const readAgents = async (): Promise<AgentsWord> => {
    const { accounts, accountsInAll } = await connectedAccounts(kysely, { hostName, gatewayId });
    return agentsWord(clock.monoMs() < agentsFromMs ? [] : accounts, accountsInAll);
  };
  /** Milliseconds since the database's clock stepped away from the controller's. */
  const differsForMs = (aheadUs: number): number => {
    if (isNear(aheadUs)) step = undefined;
    else if (step === undefined || !isNear(aheadUs - step.aheadUs))
      step = { aheadUs, fromMs: clock.monoMs() };
    return step === undefined ? 0 : clock.monoMs() - step.fromMs;
  };
  const gapUs = (): number | undefined => {
    const ranMs = clock.monoMs() - startedMs;
    if (startSeenUs === undefined || ranMs >= leapCountsMs) return undefined;
    const gap = clock.nowUs() - ranMs * 1000 - startSeenUs;
    return gap > leapUs ? gap : undefined;
  };
  const followed = (agents: AgentsWord, hasStepped = false): Followed => ({
    correctionUs,
    agents,
    gapUs: gapUs(),
    hasStepped,
  });
  /** The clock made a step: the agents' offsets must be measured again. */
  const stepped = (byUs: number): Followed => {
    step = undefined;
    agentsFromMs = clock.monoMs() + measuredMs;
    log.warn({ byUs: Math.round(byUs) }, 'the controller follows the new time of the database');
    return followed(agentsWord([], 0), true);
  };
  return {
    /** Another clock confirmed the time since the start. */
    believeStart() {
      startSeenUs = undefined;
    },
    /** The first comparison: the clock moves to the shared time at once. */
    async begin(): Promise<Followed> {
      const read = await measure();
      const first = read ?? (await readTime());
      const { databaseUs, stored } = first;
      const aheadUs = read?.aheadUs ?? databaseUs - clock.nowUs();
      const decidedUs = correctionAtStart({ ...first, machineUs: databaseUs - aheadUs });
      if (decidedUs !== first.correctionUs)
        await storeCorrection(kysely, first, { correctionUs: decidedUs, appliesUs: databaseUs });
      ({ correctionUs, correctionNo } = await readTime());
      startSeenUs = stored?.seenUs;
      clock.moveBy(aheadUs + correctionUs);
      if (stored === undefined) await beginStoredTime(kysely, clock.nowUs());
      return followed(await readAgents());
    },
    /** A step of the controller's clock is made with those of the others. */
    async compare(signal: AbortSignal): Promise<Followed> {
      const agents = await readAgents();
      const read = await measure();
      if (read === undefined) return followed(agents);
      const [nowUs, measuredAtMs] = [clock.nowUs(), clock.monoMs()];
      const { aheadUs, stored } = read;
      const decidedUs = chooseCorrection({
        databaseAheadUs: aheadUs,
        correctionUs: read.correctionUs,
        isDecided: read.correctionNo !== correctionNo,
        machineAheadUs: clock.machineAheadUs,
        isApart,
        agentsAheadUs: agents.aheadUs,
        stored: stored && { agreedUs: stored.agreedUs - nowUs, seenUs: stored.seenUs - nowUs },
        differsForMs: differsForMs(aheadUs),
      });
      correctionNo = read.correctionNo;
      let { appliesUs } = read;
      if (decidedUs !== read.correctionUs) {
        const isStep = Math.abs(aheadUs + decidedUs) > maxSlewUs;
        appliesUs = read.databaseUs + (isStep ? noticeMs * 1000 : 0);
        // Another controller that decided meanwhile is followed with the next comparison.
        if (!(await storeCorrection(kysely, read, { correctionUs: decidedUs, appliesUs })))
          return followed(agents);
        correctionNo += 1;
      }
      const byUs = aheadUs + decidedUs;
      if (Math.abs(byUs) <= maxSlewUs) {
        correctionUs = decidedUs;
        clock.approach(byUs);
        return followed(agents);
      }
      const waitMs = (appliesUs - read.databaseUs) / 1000 - (clock.monoMs() - measuredAtMs);
      if (waitMs > 0) await clock.sleep(Math.min(waitMs, noticeMs), signal);
      correctionUs = decidedUs;
      clock.moveBy(byUs);
      return stepped(byUs);
    },
  };
}
