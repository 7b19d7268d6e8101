import { AsyncLocalStorage } from 'node:async_hooks';
import { createFairSemaphore, declareShare } from '@vantage/kernel';
import type { DatabaseConnection, Dialect, Driver } from 'kysely';
import { choosingDialect, withDriver } from './choosing-dialect.ts';
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
 * The connections for what accounts read, apart from those for all other work: results, status, alerts and changes. So
 * reads that take long make only other reads wait, and of each account a share of them.
 */
export const laneConnections = {
  /** Pages and lists. */
  reads: { running: 5, perOwner: { running: 3, waiting: 10_000 } },
  /** Reads that may go through all that an account ever recorded. */
  history: { running: 4, perOwner: { running: 2, waiting: 10_000 } },
} as const;

/** The name of a lane. */
type Lane = keyof typeof laneConnections;

/** The lanes to one server: they give connections to the statements of callers. */
export interface Lanes {
  /** The statements of `work` get connections of this lane, in the turns of the account. */
  run<T>(lane: Lane, accountNo: number, work: () => Promise<T>): Promise<T>;
  /** The dialect of `main`, with the connections of the lanes. */
  dialect(main: Dialect): Dialect;
  /** The dialect, whose callers wait for their turn before they get a connection. */
  inTurns(dialect: Dialect): Dialect;
  close(): Promise<void>;
}

/** Creates the lanes to one server; no connection is opened yet. */
export function createLanes(given: Omit<Parameters<typeof openPool>[0], 'poolSize' | 'name'>): Lanes {
  const caller = new AsyncLocalStorage<{ readonly lane: Lane; readonly accountNo: number }>();
  const open = (lane: Lane): OpenPool =>
    openPool({ ...given, poolSize: laneConnections[lane].running, name: `vantage ${lane}` });
  const pools = { reads: open('reads'), history: open('history') };
  const turnsOf = (lane: Lane) => createFairSemaphore<number>(laneConnections[lane]);
  const turns = { reads: turnsOf('reads'), history: turnsOf('history') };
  const enter = async (): Promise<(() => void) | undefined> => {
    const found = caller.getStore();
    if (found === undefined) return undefined;
    const leave = await turns[found.lane].enter(found.accountNo);
    if (leave === undefined) throw new Error('too many statements of this account wait for a connection');
    return leave;
  };
  return {
    run: (lane, accountNo, work) => caller.run({ lane, accountNo }, work),
    dialect: (main) =>
      choosingDialect(
        main,
        { reads: pools.reads.dialect, history: pools.history.dialect },
        () => caller.getStore()?.lane,
      ),
    inTurns: (dialect) => withDriver(dialect, () => turningDriver(dialect.createDriver(), enter)),
    async close() {
      await Promise.all(Object.values(pools).map(({ pool }) => pool.end()));
    },
  };
}

/** Callers wait in `enter` before they get a connection; its result is called when they give it back. */
function turningDriver(base: Driver, enter: () => Promise<(() => void) | undefined>): Driver {
  const leaves = new WeakMap<DatabaseConnection, () => void>();
  return {
    init: (options) => base.init(options),
    async acquireConnection(options) {
      const leave = await enter();
      if (leave === undefined) return base.acquireConnection(options);
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
