import type { DatabaseConnection, Dialect, Driver } from 'kysely';

/**
 * The dialect of `main`, of which connections are those of another one where `choose` names one for the caller. The
 * others' connections are closed by who opened them.
 */
export function choosingDialect<Name extends string>(
  main: Dialect,
  others: Readonly<Record<Name, Dialect>>,
  choose: () => Name | undefined,
): Dialect {
  return withDriver(main, () => choosingDriver(main, others, choose));
}

/** The same dialect with another driver. */
export function withDriver(dialect: Dialect, createDriver: () => Driver): Dialect {
  return {
    createDriver,
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
}

function choosingDriver<Name extends string>(
  mainDialect: Dialect,
  others: Readonly<Record<Name, Dialect>>,
  choose: () => Name | undefined,
): Driver {
  const main = mainDialect.createDriver();
  const drivers = new Map<string, Driver>(
    Object.entries<Dialect>(others).map(([name, dialect]) => [name, dialect.createDriver()]),
  );
  const owners = new WeakMap<DatabaseConnection, Driver>();
  const driverOf = (connection: DatabaseConnection) => owners.get(connection) ?? main;
  return {
    async init(options) {
      for (const driver of [main, ...drivers.values()]) await driver.init(options);
    },
    async acquireConnection(options) {
      const driver = drivers.get(choose() ?? '');
      if (driver === undefined) return main.acquireConnection(options);
      const connection = await driver.acquireConnection(options);
      owners.set(connection, driver);
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
    destroy: (options) => main.destroy(options),
  };
}
