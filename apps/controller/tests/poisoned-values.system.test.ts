import { randomBytes } from 'node:crypto';
import { hourUs } from '@vantage/domain';
import { createLog, newId } from '@vantage/kernel';
import { createFakeClock, createSteppedClock } from '@vantage/kernel/testing';
import { createDb, createPartitions, type Database, type Tables } from '@vantage/storage';
import { createSealer, sealKeyBytes } from '@vantage/storage/secrets/seal';
import { createTestDatabase } from '@vantage/testing/database';
import { type Kysely, sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { createAssign } from '../src/agents/assign/assign.ts';
import { deleteControllers } from '../src/agents/gateway/index.ts';
import { runRequests } from '../src/agents/run-requests/index.ts';
import { createUpgrades } from '../src/agents/upgrades/index.ts';
import { createChannels } from '../src/alerts/channels/channel-registry.ts';
import { createAlerts } from '../src/alerts/decide/index.ts';
import { createDeliveries } from '../src/alerts/deliver/deliveries.ts';
import { messages } from '../src/alerts/deliver/index.ts';
import { locationVisibility } from '../src/catalog/locations/visibility-store.ts';
import { recordEvents } from '../src/results/events/record-events.ts';
import { createHousekeeping } from '../src/results/ingest/index.ts';
import { rollUps } from '../src/results/roll-up/index.ts';
import { createHealth, trimCheckpoints } from '../src/results/status/index.ts';
import {
  type BusyAccountFixture,
  createBusyAccountFixture,
  openRetrySequence,
} from '../src/testing/busy-account-fixture.ts';
import { createHeartbeatFixture } from '../src/testing/heartbeat-fixture.ts';
import { heldBySchema } from './columns-held-by-schema.ts';

const log = createLog('poison test', 'silent');
const startUs = Date.UTC(2027, 2, 14, 12) * 1000;
/** Jobs that a value stops never end; a slow machine may take minutes for all accounts. */
const soon = { timeout: 300_000, interval: 100 };
/** Each look at the loops moves their clock by this much. */
const roundMs = 500;

/** Values by type of column; each is valid for the type and for nobody who reads it. */
const poisons: Readonly<Record<string, readonly string[]>> = {
  jsonb: [
    '{"Sent":1e1000,"Received":-1e1000}',
    '{"Sent":1e-1000,"Received":"five"}',
    '{"chain":{"lastEndUs":"soon","revision":[]}}',
    '{"retrySequence":{"lastEndUs":"soon","revision":[]}}',
    JSON.stringify(openRetrySequence(1e300, 1e300, 1e300)),
    'null',
    '[[[]]]',
    '"text"',
  ],
  text: ['', 'x'.repeat(20_000), `it's {"a": %s \\u0000`, '\u{fffd}\u{202e}'],
  real: ['NaN', 'Infinity', '-3e38'],
  'double precision': ['NaN', 'Infinity', '1e308'],
  'double precision[]': ['{}', '{NaN,Infinity}', '{1e308,1,1,1,1,1}', '{{1,2},{3,4}}'],
  'integer[]': ['{}', '{1,2,3}', '{{1,null}}', '{{2147483647,2147483647}}'],
  'text[]': ['{}', '{"",null}', '{{a,b},{c,d}}'],
};
/** So many tables are poisoned in one database; the jobs have one round, in which each does a bounded part. */
const tablesAtOnce = 8;
/** Tables that decide who is notified and when. */
const notifying = ['contacts', 'contact_health', 'mschedules', 'notifications', 'nschedules'];
const pages = ['pages', 'mails', 'page_news', 'page_subscribers', 'reports', 'report_progress'];
/** Tables whose rows belong to no account, those that no background job reads, and `notifying`. */
const leftOut = new Set([
  'controllers',
  'leases',
  'job_cursors',
  'migrations',
  'job_quarantine',
  'sealing_key_proof',
  'installation_settings',
  'trials',
  'device_changes',
  'authorities',
  'api_keys',
  'users',
  'secrets',
  'tags',
  'hooks',
  'hook_progress',
  ...pages,
  ...notifying,
]);
interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  /** Columns of the table that say whose a row is. */
  readonly keys: readonly string[] | null;
}

const readColumns = (kysely: Kysely<Tables>) =>
  sql<Column>`
    select c.table_name as "table", c.column_name as "column",
      case when c.data_type = 'ARRAY' then format_type(a.atttypid, null) else c.data_type end as "type",
      (select array_agg(k.column_name::text) from information_schema.columns k where k.table_schema = 'public'
        and k.table_name = c.table_name and k.column_name in ('device_no', 'agent_no', 'location_no', 'account_no')) as keys
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      join pg_attribute a on a.attrelid = c.table_name::regclass and a.attname = c.column_name
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.table_name !~ '^checks_[0-9]'
      and c.data_type in ('jsonb', 'text', 'ARRAY', 'real', 'double precision')
    order by 1, 2`.execute(kysely);

async function openDatabase() {
  const database = await createTestDatabase();
  const db = await createDb({ connection: { url: database.url }, log });
  return {
    db,
    async [Symbol.asyncDispose]() {
      await db.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Every loop of a controller's background, once; ends when `done` no longer throws. */
async function runJobs(db: Database, nowUs: number, done: () => Promise<void>): Promise<void> {
  const clock = createFakeClock(nowUs);
  const ending = new AbortController();
  const rollUp = rollUps.createRollUp({ db, clock, log });
  const partitions = createPartitions({ db, clock, log, retentionDays: 3 });
  const holder = 'controller';
  const shared = { db, clock, log };
  const heartbeats = createHeartbeatFixture(db, clock);
  await heartbeats.receiving.round();
  const loops = [
    createHealth({ ...shared, recordEvents, runRequests, locations: locationVisibility }).run(
      db.kysely,
      ending.signal,
    ),
    createHousekeeping({
      ...shared,
      partitions,
      rollUp,
      retentionDays: 3,
      holder,
      deleteRunRequests: runRequests.deleteEnded,
      deleteControllers,
      deleteOldAnswers: async () => {},
      deleteOldMarks: async () => {},
      trim: trimCheckpoints,
    }).run(ending.signal),
    // Its leases end by the database's clock, and are renewed meanwhile.
    createAssign({ ...shared, clock: createSteppedClock(nowUs), controllerId: holder }).run(ending.signal),
    createUpgrades({ ...shared, recordEvents }).run(ending.signal),
    heartbeats.judging.run(ending.signal),
    createAlerts({
      ...shared,
      recordEvents,
      enqueue: async () => {},
      withdraw: async () => {},
      withdrawEnds: async () => [],
      createRunRequests: runRequests.createRunRequests,
    }).run(ending.signal),
  ];
  try {
    await vi.waitFor(done, soon);
  } finally {
    ending.abort();
    await Promise.all(loops);
  }
}

/** The loops that read schedules, contacts and notifications; ends when `done` no longer throws. */
async function runNotifying(db: Database, nowUs: number, done: () => Promise<void>): Promise<void> {
  const ending = new AbortController();
  const clock = createFakeClock(nowUs);
  const shared = { db, clock, log };
  const { createRunRequests } = runRequests;
  const loops = [
    createHealth({ ...shared, recordEvents, runRequests, locations: locationVisibility }).run(
      db.kysely,
      ending.signal,
    ),
    createAlerts({ ...shared, recordEvents, ...messages, createRunRequests }).run(ending.signal),
    createDeliveries({
      ...shared,
      sealer: createSealer(randomBytes(sealKeyBytes)),
      newToken: newId,
      linkOf: () => '',
      channels: createChannels({ allowPrivate: false, smtpUrl: undefined, mailFrom: 'v@example.org' }),
      readDay: async () => null,
      onFailed: async () => {},
    }).run(ending.signal),
  ];
  try {
    await vi.waitFor(async () => {
      await clock.advance(roundMs);
      await done();
    }, soon);
  } finally {
    ending.abort();
    await Promise.all(loops);
  }
}

/**
 * The work of the jobs for an account: sums, an order for the next retry, a plan, and events of its window and of both
 * its Locations.
 */
async function expectServed(
  { kysely }: Database,
  { deviceNo, newDeviceNo, accountNo, locationNos }: BusyAccountFixture,
  hour: number,
): Promise<void> {
  const { rows } = await sql<{ what: string }>`
    select 'sums' as what from rollup_hourly where device_no = ${deviceNo} and bucket_us = ${hour} and sent = 10 and lost = 4
    union select 'order' from run_requests where device_no = ${deviceNo} and kind = 'Retry' and state = 'Open'
    union select 'plan' from assignment_spans where device_no = ${newDeviceNo} and to_us is null
    union select 'alert' from alerts where device_no = ${deviceNo} and due_us is distinct from opened_us
    union select 'window' from events where device_no = ${deviceNo} and type = 'MaintEnd'
    union select 'upgrade' from agent_upgrades join agents using (agent_no) where account_no = ${accountNo} and agent_upgrades.state = 'Started'
    union select 'back' from locations where location_no = ${locationNos[0]} and online
    union select 'gone' from locations where location_no = ${locationNos[1]} and not online
    union select 'heartbeat' from push_devices join devices using (device_no)
      where device_no = ${deviceNo} and at_us is not null and settings_revision = revision
    union select 'events' from events where account_no = ${accountNo} and device_no is null having count(*) = 2`.execute(
    kysely,
  );
  expect(rows.map(({ what }) => what).sort()).toEqual(
    ['alert', 'back', 'events', 'gone', 'heartbeat', 'plan', 'sums', 'upgrade', 'window']
      .concat('order')
      .sort(),
  );
}

/** Puts the value into the victim's rows; false: the schema does not let it in. */
function poison(
  { kysely }: Database,
  { table, column, type, keys }: Column,
  victim: BusyAccountFixture,
  value: string,
): Promise<boolean> {
  const own: Readonly<Record<string, readonly number[]>> = {
    device_no: [victim.deviceNo],
    agent_no: victim.agentNos,
    location_no: victim.locationNos,
    account_no: [victim.accountNo],
  };
  const key = Object.keys(own).find((name) => keys?.includes(name)) ?? '';
  return sql`update ${sql.table(table)} set ${sql.ref(column)} = ${value}::${sql.raw(type)}
    where ${sql.ref(key)} = any(${own[key] ?? []}::int[])`
    .execute(kysely)
    .then(
      ({ numAffectedRows }) => (numAffectedRows ?? 0n) > 0n,
      () => false,
    );
}

function createAccount({ kysely }: Database, at: Parameters<typeof createBusyAccountFixture>[1]) {
  return kysely.transaction().execute((trx) => createBusyAccountFixture(trx, at));
}

/**
 * Accounts with each of the poisons in each of these columns, one account a poison; returns the columns that took none.
 */
async function poisonAll(
  db: Database,
  columns: readonly Column[],
  at: { nowUs: number; dirtyHourUs: number },
) {
  const clean: string[] = [];
  // An account that did not take a poison gets the next one.
  let victim: BusyAccountFixture | undefined;
  for (const column of columns) {
    let applied = 0;
    for (const value of poisons[column.type] ?? []) {
      victim ??= await createAccount(db, at);
      if (!(await poison(db, column, victim, value))) continue;
      applied += 1;
      victim = undefined;
    }
    if (applied === 0) clean.push(`${column.table}.${column.column}`);
  }
  return clean;
}

function groupsOf<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return all.length === 0 ? [] : [all.slice(0, size), ...groupsOf(all.slice(size), size)];
}

/**
 * The columns among these that took no poison, after a database with all the others poisoned served one more account.
 */
async function servedBeside(columns: readonly Column[]): Promise<readonly string[]> {
  await using opened = await openDatabase();
  const { db } = opened;
  const at = { nowUs: startUs, dirtyHourUs: startUs - 3 * hourUs };
  await createPartitions({ db, clock: createFakeClock(startUs), log, retentionDays: 3 }).ensure();
  const controller = { controller_id: 'c', started_us: 1, last_seen_us: startUs };
  await db.kysely.insertInto('controllers').values(controller).execute();
  const clean = await poisonAll(db, columns, at);
  const bystander = await createAccount(db, at);
  await db.kysely.insertInto('rollup_dirty').values({ bucket_us: at.dirtyHourUs }).execute();
  await runJobs(db, startUs, () => expectServed(db, bystander, at.dirtyHourUs));
  return clean;
}

test('whatever stands in the rows of one account, every background job finishes for the others', async () => {
  await using first = await openDatabase();
  const { rows: all } = await readColumns(first.db.kysely);
  const columns = all.filter(({ table, keys }) => !leftOut.has(table) && keys !== null);
  expect(columns.length).toBeGreaterThan(50);
  const tables = Map.groupBy(columns, ({ table }) => table);
  const clean: string[] = [];
  for (const group of groupsOf([...tables.keys()], tablesAtOnce)) {
    const ofGroup = group.flatMap((table) => tables.get(table) ?? []);
    const found = await servedBeside(ofGroup).catch((cause: unknown) => {
      throw new Error(`a value in one of ${group.join(', ')} of one account stops the others`, { cause });
    });
    clean.push(...found);
  }
  expect(clean).toEqual(heldBySchema);
}, 1_200_000);

test('whatever stands in the contacts, schedules and notifications of one account, those of others are decided and sent', async () => {
  await using opened = await openDatabase();
  const { db } = opened;
  const { rows } = await readColumns(db.kysely);
  const columns = rows.filter(({ table, keys }) => notifying.includes(table) && keys !== null);
  expect(new Set(columns.map(({ table }) => table))).toEqual(new Set(notifying));
  await createPartitions({ db, clock: createFakeClock(startUs), log, retentionDays: 3 }).ensure();
  const at = { nowUs: startUs, dirtyHourUs: startUs - 3 * hourUs };
  expect(await poisonAll(db, columns, at)).toEqual(['notifications.state']);
  const { accountNo, deviceNo } = await createAccount(db, at);
  await runNotifying(db, startUs, async () => {
    const { rows: served } = await sql<{ what: string }>`
      select 'alert' as what from alerts where device_no = ${deviceNo} and due_us is distinct from opened_us
      union select 'notification' from notifications where account_no = ${accountNo} and attempts > 0
      union select 'window' from maintenance_windows where device_no = ${deviceNo} and source = 'schedule' order by 1`.execute(
      db.kysely,
    );
    expect(served.map(({ what }) => what)).toEqual(['alert', 'notification', 'window']);
  });
}, 1_200_000);
