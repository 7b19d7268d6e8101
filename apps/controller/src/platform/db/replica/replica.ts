import { AsyncLocalStorage } from 'node:async_hooks';
import { type Clock, createLogSummary, declareShare, declareState, messageOf } from '@vantage/kernel';
import type { Dialect } from 'kysely';
import { choosingDialect } from '../choosing-dialect.ts';
import { isTransientDbError, stateOf } from '../pg-error.ts';
import { openPool } from '../pool.ts';
import { tlsAdvice } from '../tls-advice.ts';
import { type Asker, createPrimaryAsker, createReplicaAsker } from './ask-servers.ts';
import {
  decideReplica,
  type PrimaryHistory,
  type ReplicaAnswer,
  type ServerHistory,
  type Verdict,
} from './replica-eligibility.ts';

declareShare({
  name: 'database_connections_of_the_replica',
  limit: '10 connections',
  filledBy: 'keys',
  share: 'those of reads of history, in whose turns they are taken: 4, an account 2',
});

const everyMs = 1_000;
const poolSize = 10;

/** Hears each change, and reads that fail. */
type ReplicaLog = Readonly<Record<'info' | 'warn' | 'error', (data: object, text: string) => void>>;

/** A replica of the database, from which history may be read. */
export interface Replica {
  /** The dialect of the primary; inside `read` its connections are those of the replica. */
  dialect(primary: Dialect): Dialect;
  /**
   * Runs `work`, which only reads: on the replica where it is fresh enough and has all that the account wrote by this
   * controller, and on the primary else. Work that fails on the replica is repeated on the primary.
   */
  read<T>(accountNo: number, work: () => Promise<T>): Promise<T>;
  /** Notes that a request of this account wrote: until the replica has it, the account reads from the primary. */
  noteWrite(accountNo: number): void;
  /** Asks both servers each second until `ending` aborts; then closes the connections to the replica. */
  run(ending: AbortSignal): Promise<void>;
  /** `ageMs` undefined: it is not known. The counts are of reads since the start. */
  readonly state: {
    readonly isUsed: boolean;
    readonly ageMs: number | undefined;
    readonly reads: Readonly<Record<'replica' | 'primary' | 'repeated', number>>;
  };
}

const tracked = declareState({
  name: 'accounts_that_wrote',
  entries: { each: 'account' },
  entryBytes: 100,
  filledBy: 'requests that change something, where there is a read replica',
  atBound: 'entries go when the replica has what was written',
});

/** Creates it; no connection is opened before `run`. */
export function createReplica(deps: {
  readonly url: string;
  readonly primaryUrl: string;
  readonly maxAgeMs: number;
  readonly clock: Clock;
  readonly log: ReplicaLog;
}): Replica {
  const { clock, log, maxAgeMs } = deps;
  const pool = openPool({ url: deps.url, log, poolSize, name: 'vantage read' });
  const onReplica = new AsyncLocalStorage<true>();
  const wrote = tracked(new Map<number, number>());
  const reads = { replica: 0, primary: 0, repeated: 0 };
  const watch = createWatch(deps);
  const summary = createLogSummary({ clock, log });
  const mayRead = (accountNo: number) => {
    const { freshMs, ageMs } = watch;
    if (!watch.isUsed || freshMs === undefined || ageMs === undefined || ageMs > maxAgeMs) return false;
    return (wrote.get(accountNo) ?? Number.NEGATIVE_INFINITY) < freshMs;
  };
  return {
    dialect: (primary) =>
      choosingDialect(primary, { replica: pool.dialect }, () =>
        onReplica.getStore() === true ? 'replica' : undefined,
      ),
    async read(accountNo, work) {
      if (!mayRead(accountNo)) {
        reads.primary += 1;
        return work();
      }
      try {
        const answer = await onReplica.run(true, work);
        reads.replica += 1;
        return answer;
      } catch (error) {
        // A refusal, too: the replica may lack what the request names.
        reads.repeated += 1;
        if (stateOf(error) !== '' || isTransientDbError(error))
          summary.count('a read failed on the replica, and is repeated on the primary', {
            error: messageOf(error),
          });
        return work();
      }
    },
    noteWrite: (accountNo) => void wrote.set(accountNo, clock.monoMs()),
    async run(ending) {
      while (!ending.aborted) {
        if ((await watch.look()) === 'away') pool.cut();
        const { freshMs = Number.NEGATIVE_INFINITY } = watch;
        for (const [accountNo, atMs] of wrote) if (atMs < freshMs) wrote.delete(accountNo);
        await clock.sleep(everyMs, ending).catch(() => {});
      }
      watch.close();
      summary[Symbol.dispose]();
      pool.cut();
      await pool.pool.end();
    },
    get state() {
      const { isUsed, ageMs } = watch;
      return { isUsed, ageMs, reads };
    },
  };
}

/** Polls both servers and logs each change. */
function createWatch({ url, primaryUrl, maxAgeMs, clock, log }: Parameters<typeof createReplica>[0]) {
  const askers = { primary: createPrimaryAsker(primaryUrl), replica: createReplicaAsker(url) };
  let freshness: Freshness = unknownFreshness;
  let primary: PrimaryHistory | undefined;
  let verdict: Verdict = { kind: 'waiting', reason: '' };
  const ageMs = () => (freshness.freshMs === undefined ? undefined : clock.monoMs() - freshness.freshMs);
  return {
    async look(): Promise<Verdict['kind']> {
      const atMs = clock.monoMs();
      // A primary that is away now has the history that it had.
      const written = await askers.primary.ask().catch(() => undefined);
      primary = written ?? primary;
      const { answer, replayed } = await askReplica(askers.replica);
      const sample = written && { atMs, position: written.position };
      freshness = observe(freshness, { sample, replayed });
      const wasUsed = verdict.kind === 'used';
      const next = decideReplica({ primary, replica: answer, ageMs: ageMs(), maxAgeMs, wasUsed });
      if (next.kind !== verdict.kind) tell(log, next, ageMs());
      verdict = next;
      return next.kind;
    },
    close() {
      askers.primary.close();
      askers.replica.close();
    },
    get isUsed() {
      return verdict.kind === 'used';
    },
    get freshMs() {
      return freshness.freshMs;
    },
    get ageMs() {
      return ageMs();
    },
  };
}

async function askReplica(
  asker: Asker<ServerHistory & { readonly isStandby: boolean; readonly replayed: number | null }>,
): Promise<{ readonly answer: ReplicaAnswer; readonly replayed?: number | undefined }> {
  try {
    const { replayed, ...facts } = await asker.ask();
    return { answer: { kind: 'answer', ...facts }, replayed: replayed ?? undefined };
  } catch (error) {
    const reason = [messageOf(error), tlsAdvice(error)].filter((text) => text !== undefined).join('; ');
    return { answer: { kind: 'none', reason } };
  }
}

function tell(log: ReplicaLog, verdict: Verdict, ageMs: number | undefined): void {
  const ageS = ageMs === undefined ? undefined : Math.round(ageMs / 100) / 10;
  if (verdict.kind === 'used') log.info({ ageS }, 'history is read from the replica');
  else
    log.warn(
      { reason: verdict.reason, ageS },
      'history is read from the primary: the replica of VANTAGE_DATABASE_READ_URL is not used',
    );
}

/** A moment at which the primary's WAL had a position. */
interface Sample {
  /** Read from the monotonic clock before the primary was asked, ms. */
  readonly atMs: number;
  /** Bytes of WAL. */
  readonly position: number;
}

/** Knowledge of how far a replica is. */
interface Freshness {
  /** All that was committed on the primary before this moment is in the replica; undefined: no moment is known. */
  readonly freshMs: number | undefined;
  /** Moments that the replica has not replayed, the oldest first. */
  readonly waiting: readonly Sample[];
}

/** A longer list loses every second moment: the age of a replica that is far behind is then known less finely. */
const mostWaiting = 64;

/** Nothing is known yet. */
export const unknownFreshness: Freshness = { freshMs: undefined, waiting: [] };

/**
 * Adds a moment of the primary, and then what the replica has replayed. Either may be missing. The age of the replica
 * is never taken for less than it is. Pure.
 */
export function observe(
  { freshMs, waiting }: Freshness,
  seen: { readonly sample?: Sample | undefined; readonly replayed?: number | undefined },
): Freshness {
  const all = seen.sample === undefined ? waiting : [...waiting, seen.sample];
  const { replayed } = seen;
  const reached = replayed === undefined ? -1 : all.findLastIndex(({ position }) => position <= replayed);
  const left = all.slice(reached + 1);
  const thinned = left.length > mostWaiting ? left.filter((_, place) => place % 2 === 0) : left;
  return { freshMs: all[reached]?.atMs ?? freshMs, waiting: thinned };
}
