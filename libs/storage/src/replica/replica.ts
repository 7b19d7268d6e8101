import { createLogSummary, declareShare, declareState, messageOf } from '@vantage/kernel';
import type { Dialect } from 'kysely';
import { isTransientDbError, stateOf } from '../pool/pg-error.ts';
import { openPool } from '../pool/pool.ts';
import { createReplicaWatch } from './replica-watch.ts';

declareShare({
  name: 'database_connections_of_the_replica',
  limit: '10 connections',
  filledBy: 'keys',
  share: 'those of reads of history, in whose turns they are taken: 4, an account 2',
});

const everyMs = 1_000;
const poolSize = 10;

/** A replica of the database, from which history may be read. */
export interface Replica {
  /** On connections to the replica. */
  readonly dialect: Dialect;
  /**
   * Runs a read: on the replica if this is fresh enough and has everything that the account wrote through this
   * controller, else on the primary. A read that fails on the replica is repeated on the primary.
   */
  read<T>(
    accountNo: number,
    read: { readonly onReplica: () => Promise<T>; readonly onPrimary: () => Promise<T> },
  ): Promise<T>;
  /** Notes that a request of this account wrote. The account reads from the primary until the replica has the write. */
  noteWrite(accountNo: number): void;
  /** Polls both servers every second until `ending` aborts; then closes the connections to the replica. */
  run(ending: AbortSignal): Promise<void>;
  /** `ageMs` undefined: unknown. `reads` counts since the start. */
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

/** Opens no connection before `run`. */
export function createReplica(deps: Parameters<typeof createReplicaWatch>[0]): Replica {
  const { clock, log, maxAgeMs } = deps;
  const pool = openPool({ url: deps.url, log, poolSize, name: 'vantage read' });
  const wrote = tracked(new Map<number, number>());
  const reads = { replica: 0, primary: 0, repeated: 0 };
  const watch = createReplicaWatch(deps);
  const summary = createLogSummary({ clock, log });
  const mayRead = (accountNo: number) => {
    const { freshMs, ageMs } = watch;
    if (!watch.isUsed || freshMs === undefined || ageMs === undefined || ageMs > maxAgeMs) return false;
    return (wrote.get(accountNo) ?? Number.NEGATIVE_INFINITY) < freshMs;
  };
  return {
    dialect: pool.dialect,
    async read(accountNo, { onReplica, onPrimary }) {
      if (!mayRead(accountNo)) {
        reads.primary += 1;
        return onPrimary();
      }
      try {
        const answer = await onReplica();
        reads.replica += 1;
        return answer;
      } catch (error) {
        // Refusals are repeated, too: the replica may lack what the request names.
        reads.repeated += 1;
        if (stateOf(error) !== '' || isTransientDbError(error))
          summary.count('a read failed on the replica, and is repeated on the primary', {
            error: messageOf(error),
          });
        return onPrimary();
      }
    },
    noteWrite: (accountNo) => void wrote.set(accountNo, clock.monoMs()),
    async run(ending) {
      while (!ending.aborted) {
        if ((await watch.poll()) === 'away') pool.cut();
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
