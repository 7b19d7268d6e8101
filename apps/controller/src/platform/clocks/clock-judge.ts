import { hostname } from 'node:os';
import { dayMs, dayUs, hourMs } from '@vantage/domain';
import { createJobParts, type Logger } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../db/index.ts';
import {
  type ClockEvidence,
  type ClockVerdict,
  classifyClock,
  type DatabaseReading,
  isNear,
} from './classify-clock.ts';
import {
  accountNames,
  advanceStoredTime,
  connectedAccounts,
  databaseNowUs,
  isDatabaseApart,
  readStoredTime,
} from './clock-store.ts';
import type { HeldClock } from './held-clock.ts';
import { heardAccounts, type Objections } from './objections.ts';

/** Watches whether the controller's clock is right, and keeps it right where other clocks can tell. */
export interface ClockJudge {
  /** A sentence for the operator while the clock is wrong or unproven. */
  readonly problem: string | undefined;
  /** Clocks disagree. */
  readonly isWrong: boolean;
  /** A sentence while clocks disagree, for these accounts only or (undefined) for all. */
  readonly alarm: { readonly reason: string; readonly accountNos: readonly number[] | undefined } | undefined;
  /** The clock has been right for an hour: what is older than the retention may be deleted. */
  readonly mayDelete: boolean;
  /** The clock has been right for half a minute: a result or a delivery may be given up for its time. */
  readonly mayRefuse: boolean;
  /**
   * The time from which ages count that end in a deletion. It passes while a controller runs, and follows the clock
   * over a leap only after other clocks confirmed it for an hour. The one controller that deletes calls it.
   */
  advance(): Promise<number>;
  /** Compares the clocks until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const everyMs = 10_000;
/** An agent that comes back needs a moment until its offset is known. */
const refuseAfterMs = 30_000;
const deleteAfterMs = hourMs;
/** Calls of `advance` that are further apart may have another controller's between them. */
const longestAdvanceMs = 120_000;
/** A reading of the database's clock that took longer says little. */
const longestAnswerMs = 20_000;
/** After the controller's clock was set, its agents' offsets are measured and stored within this time. */
const measuredMs = 60_000;
/** A leap over the time without a controller is suspicious from this on. */
const leapUs = 2 * dayUs;
/** A leap that nobody corrected in this time counts as right. */
const leapCountsMs = 7 * dayMs;

interface JudgeDeps {
  readonly kysely: Kysely<Tables>;
  readonly clock: HeldClock;
  readonly log: Logger;
  /** This controller's id. */
  readonly gatewayId: string;
}

/**
 * The judge of this machine's controller. The clock is right after the first comparison, as far as the database can
 * tell: call it before anything is stored. `ownsDatabase`: the database is a child of the controller's.
 */
export async function openClockJudge(
  deps: JudgeDeps & { readonly ownsDatabase: boolean },
): Promise<ClockJudge> {
  const { kysely } = deps;
  const isApart = !deps.ownsDatabase && (await isDatabaseApart(kysely));
  const databaseUs = () => databaseNowUs(kysely);
  const judge = createClockJudge({ ...deps, hostName: hostname(), isApart, databaseUs });
  await judge.compareNow();
  return judge;
}

/** The judge; `compareNow` is the first comparison. Without an hour of comparisons nothing may be deleted. */
export function createClockJudge(
  deps: JudgeDeps & {
    readonly isApart: boolean;
    readonly hostName: string;
    /** The clock of the database, microseconds since 1970. */
    readonly databaseUs: () => Promise<number>;
  },
): ClockJudge & { compareNow(): Promise<void> } {
  const { kysely, clock, log } = deps;
  const parts = createJobParts({
    log,
    failed: 'the clocks cannot be compared; trying again',
    recovered: 'the clocks are compared again',
  });
  const witnesses = createWitnesses(deps);
  let verdict: ClockVerdict = { kind: 'agrees', isConfirmed: false };
  let alarm: ClockJudge['alarm'];
  let agreesFromMs: number | undefined;
  let confirmedFromMs: number | undefined;
  let advancedMs: number | undefined;
  const lasts = (fromMs: number | undefined, ms: number) =>
    fromMs !== undefined && clock.monoMs() - fromMs >= ms;
  /** A step is noticed at once, not with the next comparison. */
  const agrees = () => verdict.kind === 'agrees' && clock.held === undefined;

  const apply = async (next: ClockVerdict, objectors: readonly number[]) => {
    if (next.kind === 'follow') {
      log.warn(
        { byUs: clock.held?.wallAheadUs },
        "the controller follows the new time of this machine's clock",
      );
      clock.follow();
      witnesses.forget();
    }
    if (next.kind === 'wrong' && next.setByUs !== undefined) {
      clock.moveBy(next.setByUs);
      witnesses.forget();
    }
    const before = verdict;
    verdict = next.kind === 'follow' ? { kind: 'agrees', isConfirmed: false } : next;
    const isSame = before.kind === verdict.kind && next.kind !== 'follow';
    const nowMs = clock.monoMs();
    agreesFromMs = verdict.kind === 'agrees' ? (isSame ? (agreesFromMs ?? nowMs) : nowMs) : undefined;
    const isConfirmed = verdict.kind === 'agrees' && verdict.isConfirmed;
    if (isConfirmed) witnesses.believeStart();
    confirmedFromMs = isConfirmed && isSame ? (confirmedFromMs ?? nowMs) : undefined;
    if (isSame) return;
    if (verdict.kind === 'wrong') {
      const accounts = await accountNames(kysely, objectors);
      log.error(
        { reason: verdict.text, accounts },
        'a clock is wrong: nothing is deleted, and no result is refused for its time',
      );
    } else if (verdict.kind === 'unproven')
      log.warn(
        { reason: verdict.text },
        'the clock may be wrong: nothing is deleted or refused for its time',
      );
    else if (next.kind !== 'follow') log.info('the clocks agree again');
  };
  const compareNow = async () => {
    const { evidence, objectors, isMajority } = await witnesses.read();
    await apply(classifyClock(evidence), objectors);
    const wrong = verdict.kind === 'wrong' ? verdict : undefined;
    // The agents of one account must not alarm the others.
    const accountNos = wrong?.onlyAgents === true && !isMajority ? objectors : undefined;
    alarm = wrong && { reason: wrong.text, accountNos };
  };
  return {
    compareNow,
    get problem() {
      return verdict.kind === 'wrong' || verdict.kind === 'unproven' ? verdict.text : undefined;
    },
    get isWrong() {
      return verdict.kind === 'wrong';
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
      return advanceStoredTime(kysely, {
        nowUs: clock.nowUs(),
        elapsedUs: elapsedMs > longestAdvanceMs ? 0 : elapsedMs * 1000,
        isConfirmed: agrees() && lasts(confirmedFromMs, deleteAfterMs),
      });
    },
    async run(signal) {
      while (!signal.aborted) {
        await parts.attempt('clocks', compareNow);
        await clock.sleep(everyMs, signal).catch(() => {});
      }
    },
  };
}

/** Reads the other clocks, and remembers which of them agreed. */
function createWitnesses({
  kysely,
  clock,
  isApart,
  hostName,
  gatewayId,
  databaseUs: readDatabaseUs,
}: Omit<Parameters<typeof createClockJudge>[0], 'log'>) {
  const startedMs = clock.monoMs();
  let hasDatabaseAgreed = false;
  let haveAgentsAgreed = false;
  let agentsFromMs = startedMs;
  let objections: Objections = new Map();
  let start: { readonly seenUs: number | undefined } | undefined;

  /** The leap over the time without a controller, while it is suspicious. */
  const gap = (nowUs: number): number | undefined => {
    const ranMs = clock.monoMs() - startedMs;
    if (start?.seenUs === undefined || ranMs >= leapCountsMs) return undefined;
    const gapUs = nowUs - ranMs * 1000 - start.seenUs;
    return gapUs > leapUs ? gapUs : undefined;
  };
  /** Undefined: the answer took so long that it says little. */
  const compareDatabase = async (): Promise<DatabaseReading | undefined> => {
    const [beforeUs, beforeMs] = [clock.nowUs(), clock.monoMs()];
    const databaseUs = await readDatabaseUs();
    const tookMs = clock.monoMs() - beforeMs;
    if (tookMs > longestAnswerMs) return undefined;
    return {
      aheadUs: Math.round(databaseUs - beforeUs - tookMs * 500),
      isApart,
      hasAgreed: hasDatabaseAgreed,
    };
  };
  return {
    /** The controller's clock was set: what agreed before says nothing now, and agents must measure anew. */
    forget() {
      hasDatabaseAgreed = false;
      haveAgentsAgreed = false;
      agentsFromMs = clock.monoMs() + measuredMs;
    },
    /** Another clock confirmed the time since the start. */
    believeStart() {
      start = { seenUs: undefined };
    },
    /** `objectors` are the accounts whose agents disagree; `isMajority`: they are more than half of those here. */
    async read(): Promise<{ evidence: ClockEvidence; objectors: readonly number[]; isMajority: boolean }> {
      const database = await compareDatabase();
      const [connected, stored] = await Promise.all([
        connectedAccounts(kysely, { hostName, gatewayId }),
        readStoredTime(kysely),
      ]);
      const [nowUs, nowMs] = [clock.nowUs(), clock.monoMs()];
      start ??= { seenUs: stored?.seenUs };
      const accounts = nowMs < agentsFromMs ? [] : connected.accounts;
      const next = heardAccounts(objections, { accounts, accountsInAll: connected.accountsInAll, nowMs });
      objections = next.objections;
      const agentsAheadUs = next.heard.map(({ aheadUs }) => aheadUs);
      const evidence = {
        held: clock.held,
        database,
        agentsAheadUs,
        haveAgentsAgreed,
        storedAheadUs: stored === undefined ? undefined : stored.agreedUs - nowUs,
        gapUs: gap(nowUs),
      };
      hasDatabaseAgreed ||= database !== undefined && isNear(database.aheadUs);
      haveAgentsAgreed ||= agentsAheadUs.length > 0 && agentsAheadUs.every(isNear);
      const far = next.heard.filter((one) => !isNear(one.aheadUs));
      return { evidence, objectors: far.map(({ accountNo }) => accountNo), isMajority: next.isMajority };
    },
  };
}
