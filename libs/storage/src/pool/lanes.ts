import { createFairSemaphore, declareShare } from '@vantage/kernel';
import type { DatabaseConnection, Dialect, Driver } from 'kysely';
import { type OpenPool, openPool } from './pool.ts';

declareShare({
  name: 'database_connections_of_reads',
  limit: '5 connections',
  filledBy: 'keys',
  share: '3 an account; the account with the fewest is next',
});
declareShare({
  name: 'database_connections_of_history',
  limit: '4 connections',
  filledBy: 'keys, readers of status pages, reports',
  share: '2 an account; the account with the fewest is next',
});

/**
 * Separate connections for the reads of accounts; all other work (results, status, alerts, changes) has its own. A slow
 * read therefore delays only other reads, and an account uses at most its share of the connections.
 */
export const laneConnections = {
  /** Pages and lists. */
  reads: { running: 5, perOwner: { running: 3, waiting: 10_000 } },
  /** Reads that may scan the whole history of an account. */
  history: { running: 4, perOwner: { running: 2, waiting: 10_000 } },
} as const;

/** The name of a lane. */
export type Lane = keyof typeof laneConnections;

/** The lanes to one server. */
export interface Lanes {
  /** A dialect on the connections of a lane, for reads of this account: each statement waits for the account's turn. */
  dialect(lane: Lane, accountNo: number): Dialect;
  /** The same for connections of another pool, as those to a replica: they are taken in the turns of the lane. */
  inTurns(dialect: Dialect, lane: Lane, accountNo: number): Dialect;
  readonly cut: OpenPool['cut'];
  close(): Promise<void>;
}

/** Creates the lanes to one server; no connection is opened yet. */
export function createLanes(deps: Omit<Parameters<typeof openPool>[0], 'poolSize' | 'name'>): Lanes {
  const open = (lane: Lane): OpenPool =>
    openPool({ ...deps, poolSize: laneConnections[lane].running, name: `vantage ${lane}` });
  const pools = { reads: open('reads'), history: open('history') };
  const turnsOf = (lane: Lane) => createFairSemaphore<number>(laneConnections[lane]);
  const turns = { reads: turnsOf('reads'), history: turnsOf('history') };
  const enter = async (lane: Lane, accountNo: number): Promise<() => void> => {
    const leave = await turns[lane].enter(accountNo);
    if (leave === undefined) throw new Error('too many statements of this account wait for a connection');
    return leave;
  };
  const inTurns = (dialect: Dialect, lane: Lane, accountNo: number): Dialect => ({
    createDriver: () => turningDriver(dialect.createDriver(), () => enter(lane, accountNo)),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  });
  return {
    dialect: (lane, accountNo) => inTurns(pools[lane].dialect, lane, accountNo),
    inTurns,
    cut(which) {
      for (const pool of Object.values(pools)) pool.cut(which);
    },
    async close() {
      await Promise.all(Object.values(pools).map(({ pool }) => pool.end()));
    },
  };
}

/** Callers wait in `enter` before they get a connection; its result is called when they return the connection. */
function turningDriver(base: Driver, enter: () => Promise<() => void>): Driver {
  const leaves = new WeakMap<DatabaseConnection, () => void>();
  return {
    init: (options) => base.init(options),
    async acquireConnection(options) {
      const leave = await enter();
      try {
        const connection = await base.acquireConnection(options);
        leaves.set(connection, leave);
        return connection;
      } catch (error) {
        leave();
        throw error;
      }
    },
    beginTransaction: (connection, settings) => base.beginTransaction(connection, settings),
    commitTransaction: (connection) => base.commitTransaction(connection),
    rollbackTransaction: (connection) => base.rollbackTransaction(connection),
    savepoint: async (connection, ...rest) => base.savepoint?.(connection, ...rest),
    rollbackToSavepoint: async (connection, ...rest) => base.rollbackToSavepoint?.(connection, ...rest),
    releaseSavepoint: async (connection, ...rest) => base.releaseSavepoint?.(connection, ...rest),
    async releaseConnection(connection, options) {
      const leave = leaves.get(connection);
      leaves.delete(connection);
      try {
        await base.releaseConnection(connection, options);
      } finally {
        leave?.();
      }
    },
    destroy: (options) => base.destroy(options),
  };
}
