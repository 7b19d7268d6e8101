import { productVersion } from '@vantage/domain';
import { createLog, systemClock } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { createTestDatabase, type TestDatabase } from '@vantage/testing/database';
import { withClient } from '@vantage/testing/postgres-url';
import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { baseline } from './baseline.ts';
import {
  createDb,
  type Database,
  dbFailure,
  lockDevices,
  ownsLease,
  releaseLeases,
  takeLeases,
} from './index.ts';
import { migrationNames } from './migrate.ts';
import { Account } from './schema/entities.ts';

const log = createLog('db test', 'silent');
let database: TestDatabase;
let db: Database;

useDatabase((opened, made) => {
  db = opened;
  database = made;
});

async function breakConnections() {
  await withClient(database.url, (client) =>
    client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = $$client backend$$',
    ),
  );
}

test('controllers that start together migrate once, and a second start changes nothing', async () => {
  await withClient(database.url, (client) =>
    client.query('drop schema public cascade; create schema public'),
  );
  const starting = await Promise.all(
    [1, 2, 3].map(() => createDb({ connection: { url: database.url }, log })),
  );
  await Promise.all(starting.map((one) => one.migrate()));
  await db.migrate();
  const { rows } = await sql<{ name: string }>`select name from migrations order by id`.execute(db.kysely);
  expect(rows.map((row) => row.name)).toEqual([...new Set(rows.map((row) => row.name))].sort());
  await Promise.all(starting.map((one) => one.close()));
});

test('closing does not wait for a connection that nobody gives back', async () => {
  const clock = createFakeClock();
  const one = await createDb({ connection: { url: database.url }, log, clock });
  const lent = Promise.withResolvers<void>();
  const given = Promise.withResolvers<void>();
  const borrowed = one.kysely.connection().execute(() => {
    given.resolve();
    return lent.promise;
  });
  await given.promise;
  let isClosed = false;
  const closing = one.close().then(() => {
    isClosed = true;
  });
  await clock.advance(9_000);
  expect(isClosed).toBe(false);
  await clock.advance(1_000);
  await closing;
  lent.resolve();
  await borrowed;
});

test('closing while a connection is being opened ends that one too', async () => {
  // Its clock stands still, so closing has no limit here.
  const one = await createDb({ connection: { url: database.url }, log, clock: createFakeClock() });
  await (await one.entities()).count(Account);
  const busy = sql`select pg_sleep(0.5)`.execute(one.kysely);
  await expect.poll(() => one.pool.idle, { interval: 1 }).toBe(0);
  const late = sql`select 1`.execute(one.kysely).catch(() => undefined);
  await one.close();
  await Promise.all([busy, late]);
});

test('closing leaves no connection, whether or not the ORM was used', async () => {
  await using own = await createTestDatabase();
  for (const usesOrm of [false, true]) {
    const one = await createDb({ connection: { url: own.url }, log });
    await sql`select 1`.execute(one.kysely);
    if (usesOrm) await (await one.entities()).count(Account);
    await one.close();
    const others = () =>
      withClient(own.url, (client) =>
        client.query(
          "select pid from pg_stat_activity where datname = current_database() and application_name like 'vantage%'",
        ),
      );
    // The server takes a moment to see that a connection was closed.
    await vi.waitFor(async () => expect((await others()).rows).toEqual([]), { timeout: 60_000 });
  }
});

test('the schema of a newer version is refused and left unchanged', async () => {
  await using newer = await createTestDatabase();
  await withClient(newer.url, (client) =>
    client.query("insert into migrations (name, executed_at) values ('9999-to-come', now())"),
  );
  const old = await createDb({ connection: { url: newer.url }, log });
  await expect(old.migrate()).rejects.toMatchObject({
    code: 'database_newer',
    message: expect.stringContaining('newer version of Vantage (it has 9999-to-come)'),
  });
  await withClient(newer.url, (client) =>
    client.query(`update migrations set version = '9.10.0' where name = '9999-to-come'`),
  );
  await expect(old.migrate()).rejects.toMatchObject({
    message: expect.stringContaining(
      `a newer version of Vantage, 9.10.0 (it has 9999-to-come), and this is version ${productVersion}: `,
    ),
  });
  // This version says who made the tables, too.
  const { rows } = await withClient(newer.url, (client) =>
    client.query(`select distinct version from migrations where name <> '9999-to-come'`),
  );
  expect(rows).toEqual([{ version: productVersion }]);
  await old.close();
});

describe('a database that the migrations before the baseline made', () => {
  /** The tables of the baseline, with so many of the migrations that it stands for. */
  async function made(count: number) {
    const own = await createTestDatabase();
    const client = () => createDb({ connection: { url: own.url }, log });
    const before = await client();
    await sql.raw('drop schema public cascade; create schema public').execute(before.kysely);
    await before.migrate(baseline);
    await sql`delete from migrations`.execute(before.kysely);
    await sql`
      insert into migrations (name) select to_char(n, 'fm0000') || '-earlier' from generate_series(1, ${count}) n`.execute(
      before.kysely,
    );
    await before.close();
    const one = await client();
    return {
      db: one,
      async names() {
        const { rows } = await sql<{ name: string }>`select name from migrations order by id`.execute(
          one.kysely,
        );
        return rows.map(({ name }) => name);
      },
      async [Symbol.asyncDispose]() {
        await one.close();
        await own[Symbol.asyncDispose]();
      },
    };
  }

  test('goes on with the later ones', async () => {
    await using earlier = await made(42);
    const known = await migrationNames();
    await earlier.db.migrate();
    await earlier.db.migrate();
    expect((await earlier.names()).slice(42)).toEqual(known);
    expect(await earlier.db.readinessProblem()).toBeUndefined();
  });

  test('keeps the ends of its invitations, and tokens that had none have ended', async () => {
    await using earlier = await made(42);
    const { kysely } = earlier.db;
    await sql`
      with a as (insert into accounts (account_id, name) values ('a', 'a') returning account_no),
        l as (insert into locations (location_id, account_no, name) select 'l', account_no, 'l' from a returning *)
      insert into agents (agent_id, account_no, location_no, name, token_hash, token_expires_us, created_at)
      select id, account_no, location_no, id, id::bytea, ends, to_timestamp(1.5)
      from l, (values ('invited', 7), ('old', null::bigint)) agents (id, ends)`.execute(kysely);
    await earlier.db.migrate();
    const agents = kysely.selectFrom('agents').select(['name', 'token_expires_us']).orderBy('name');
    expect(await agents.execute()).toEqual([
      { name: 'invited', token_expires_us: 7 },
      { name: 'old', token_expires_us: 1_500_000 },
    ]);
  });

  test('is refused and left unchanged when some of them are missing', async () => {
    await using earlier = await made(41);
    await expect(earlier.db.migrate()).rejects.toMatchObject({
      code: 'database_older',
      message: expect.stringContaining('start version 0.2.0 (commit 87d113c) on it once'),
    });
    expect(await earlier.names()).toHaveLength(41);
    const { rows } = await sql`select from pg_class where relname = 'sessions'`.execute(earlier.db.kysely);
    expect(rows).toEqual([]);
  });
});

test('Kysely reads a row of the ORM with numbers for bigints and dates for timestamps', async () => {
  await db.catalogTransaction(async ({ em }) =>
    em.create(Account, { accountId: 'a', name: 'a', timezone: 'UTC', createdAt: new Date(0) }),
  );
  const [row] = await db.kysely.selectFrom('accounts').selectAll().execute();
  expect(row).toMatchObject({ account_id: 'a', created_at: new Date(0), default_location_ids: null });
  const { rows } = await sql<{ big: number }>`select 1700000000000000::bigint as big`.execute(db.kysely);
  expect(rows[0]?.big).toBe(1_700_000_000_000_000);
});

const soon = { timeout: 60_000, interval: 20 };

test('the pool replaces connections that the server ends', async () => {
  await sql`select 1`.execute(db.kysely);
  await breakConnections();
  await vi.waitFor(() => sql`select 1`.execute(db.kysely), soon);
});

test('every commit is on disk, and the server ends a stalled transaction within seconds', async () => {
  const show = async (name: string) => {
    const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(
      db.kysely,
    );
    return rows[0]?.value;
  };
  expect(await show('synchronous_commit')).toBe('on');
  expect(await show('idle_in_transaction_session_timeout')).toBe('5s');
  expect(await show('lock_timeout')).toBe('5s');
  expect(await show('statement_timeout')).toBe('5s');
});

test('a statement after a lock reads what was committed meanwhile, whatever the default of the database is', async () => {
  const { rows: names } = await sql<{ name: string }>`select current_database() as name`.execute(db.kysely);
  const name = sql.ref(names[0]?.name ?? '');
  await sql`alter database ${name} set default_transaction_isolation = 'repeatable read'`.execute(db.kysely);
  const another = await createDb({ connection: { url: database.url }, log });
  try {
    const { rows } = await sql<{ level: string }>`
      select current_setting('transaction_isolation') as level`.execute(another.kysely);
    expect(rows).toEqual([{ level: 'read committed' }]);
  } finally {
    await another.close();
    await sql`alter database ${name} reset default_transaction_isolation`.execute(db.kysely);
  }
});

describe('leases', () => {
  test('a lease has one holder at a time, and its epoch grows when the holder changes', async () => {
    const [first] = await takeLeases(db.kysely, ['x'], 'one', 60_000);
    expect(first).toEqual({ name: 'x', holder: 'one', epoch: 1 });
    expect(await takeLeases(db.kysely, ['x'], 'two', 60_000)).toEqual([]);
    const expiry = () =>
      db.kysely.selectFrom('leases').select('expires_us').where('name', '=', 'x').execute();
    const before = await expiry();
    expect(await takeLeases(db.kysely, ['x'], 'one', 60_000)).toMatchObject([{ epoch: 1 }]);
    // Nothing is written before two thirds of its time are over.
    expect(await expiry()).toEqual(before);
    expect(await takeLeases(db.kysely, ['x'], 'one', 240_000)).toMatchObject([{ epoch: 1 }]);
    expect(await expiry()).not.toEqual(before);
    await releaseLeases(db.kysely, 'one', 'x');
    expect(await takeLeases(db.kysely, ['x'], 'two', 60_000)).toMatchObject([{ holder: 'two', epoch: 2 }]);
    expect(first && (await ownsLease(db.kysely, first))).toBe(false);
  });

  test('a lease that was taken while the clock of the database was ahead is free', async () => {
    const [first] = await takeLeases(db.kysely, ['ahead'], 'one', 60_000);
    await sql`update leases set expires_us = expires_us + 86400000000 where name = 'ahead'`.execute(
      db.kysely,
    );
    expect(await takeLeases(db.kysely, ['ahead'], 'two', 60_000)).toMatchObject([
      { holder: 'two', epoch: 2 },
    ]);
    expect(first && (await ownsLease(db.kysely, first))).toBe(false);
    await sql`update leases set expires_us = expires_us + 86400000000 where name = 'ahead'`.execute(
      db.kysely,
    );
    const [kept] = await takeLeases(db.kysely, ['ahead'], 'two', 60_000);
    expect(kept).toMatchObject({ epoch: 2 });
    const { rows } = await sql`
      select 1 from leases where name = 'ahead' and expires_us < (extract(epoch from now()) + 600) * 1e6`.execute(
      db.kysely,
    );
    expect(rows).toHaveLength(1);
  });

  test('an expired lease is not held, even before another holder takes it', async () => {
    const [lease] = await takeLeases(db.kysely, ['y'], 'one', 0);
    expect(lease && (await ownsLease(db.kysely, lease))).toBe(false);
  });
});

test('transactions that lock the same devices in any order do not deadlock', async () => {
  const done: number[] = [];
  await Promise.all(
    [
      [3, 1, 2],
      [2, 3, 1],
      [1, 2, 3],
    ].map((deviceNos, i) =>
      db.kysely.transaction().execute(async (trx) => {
        await lockDevices(trx, deviceNos);
        done.push(i);
      }),
    ),
  );
  expect(new Set(done)).toEqual(new Set([0, 1, 2]));
});

test.each([
  ['40P01', 'retry'],
  ['57P01', 'retry'],
  ['55P03', 'retry'],
  ['53100', 'retry'],
  ['22003', 'refused'],
  ['23503', 'refused'],
  ['EPIPE', 'retry'],
  ['ECONNREFUSED', 'retry'],
  ['28P01', 'retry'],
  ['3D000', 'retry'],
  ['ERR_INVALID_ARG_TYPE', 'refused'],
] as const)('code %s: %s', (code, meaning) => {
  const error = Object.assign(code.startsWith('ERR_') ? new TypeError('x') : new Error('x'), { code });
  expect(dbFailure(error)).toBe(meaning);
  expect(dbFailure(new Error('wrapped', { cause: error }))).toBe(meaning);
  expect(dbFailure(new AggregateError([new Error('x'), error]))).toBe(meaning);
});

test('an error in our own code counts as refused, a lost connection as worth another try', () => {
  expect(dbFailure(new TypeError('x is not a function'))).toBe('refused');
  expect(dbFailure(new Error('Connection terminated unexpectedly'))).toBe('retry');
});

test('a refused connection counts as worth another try', async () => {
  const nowhere = await createDb({
    connection: { url: 'postgres://127.0.0.1:1/x' },
    log,
    clock: systemClock,
  });
  const failed = await sql`select 1`.execute(nowhere.kysely).catch((error: unknown) => error);
  expect(dbFailure(failed)).toBe('retry');
  await nowhere.close();
});
