import type { DatabaseConnection, Dialect, Driver } from 'kysely';

/** The dialect of the primary, of which connections are the replica's where `isReplica` says so for the caller. */
export function replicaDialect(primary: Dialect, replica: Dialect, isReplica: () => boolean): Dialect {
  return {
    createDriver: () => choosingDriver(primary.createDriver(), replica.createDriver(), isReplica),
    createQueryCompiler: () => primary.createQueryCompiler(),
    createAdapter: () => primary.createAdapter(),
    createIntrospector: (db) => primary.createIntrospector(db),
  };
}

function choosingDriver(primary: Driver, replica: Driver, isReplica: () => boolean): Driver {
  const ofReplica = new WeakSet<DatabaseConnection>();
  const driverOf = (connection: DatabaseConnection) => (ofReplica.has(connection) ? replica : primary);
  return {
    async init(options) {
      await primary.init(options);
      await replica.init(options);
    },
    async acquireConnection(options) {
      if (!isReplica()) return primary.acquireConnection(options);
      const connection = await replica.acquireConnection(options);
      ofReplica.add(connection);
      return connection;
    },
    beginTransaction: (connection, settings) => driverOf(connection).beginTransaction(connection, settings),
    commitTransaction: (connection) => driverOf(connection).commitTransaction(connection),
    rollbackTransaction: (connection) => driverOf(connection).rollbackTransaction(connection),
    savepoint: async (connection, ...rest) => driverOf(connection).savepoint?.(connection, ...rest),
    rollbackToSavepoint: async (connection, ...rest) =>
      driverOf(connection).rollbackToSavepoint?.(connection, ...rest),
    releaseSavepoint: async (connection, ...rest) =>
      driverOf(connection).releaseSavepoint?.(connection, ...rest),
    releaseConnection: (connection, options) => driverOf(connection).releaseConnection(connection, options),
    // The replica's connections are closed by who opened them.
    destroy: (options) => primary.destroy(options),
  };
}
