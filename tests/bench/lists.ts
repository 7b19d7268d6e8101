// Lists of an account with very many devices, and what a page reads of them while 5,000 change a minute: the CPU time
// of the API and its PostgreSQL for a request, and how long requests take by one and by eight connections. Usage:
// node tests/bench/lists.ts [devices] [seconds for each kind and number of connections] [lists|page]
import { setTimeout as delay } from 'node:timers/promises';
import { createFakeClock } from '@vantage/kernel/testing';
import { createDb, createPartitions, type Db } from '@vantage/storage';
import { setUp } from '@vantage/testing/set-up';
import { sql } from 'kysely';
import { makeManyDevices } from '../../apps/controller/src/catalog/devices/testing/many-devices.ts';
import { startBenchDatabase } from './database.ts';
import { type Figure, printFigures } from './figures.ts';
import { usage, withChildren } from './processes.ts';
import { startRestProcess } from './rest-process.ts';
import { rollUpDevice } from './rolled-device.ts';

const devices = Number(process.argv[2] ?? 100_000);
const seconds = Number(process.argv[3] ?? 3);
const nowUs = 1_790_000_000_000_000;
const lists = [
  'Limit=100',
  'Filter=Down',
  'Filter=Up',
  'Filter=Maint',
  'Filter=Unknown',
  'Filter=Down&Method=PING',
  'Search=d1234',
  'Search=q',
  'Search=.example:9',
  'Search=example:99',
  'Search=host9',
  'Sort=ShortName',
  'Sort=Status',
  'Sort=-Status',
  'Sort=StatusSince',
  'Sort=-StatusSince',
  'Filter=Down&Sort=ShortName',
  'Filter=Up&Sort=-ShortName',
  'Filter=Down&Search=d1234',
  'Filter=Down&Search=example&Sort=ShortName',
  'Search=host9&Sort=Status',
];
/** Tags of so many devices each, and levels above them of so many tags. */
const [devicesOfTag, tagsOfLevel] = [500, 10];
/** The revision of the last answer that has one. */
let revision = '';
const dayUs = 86_400_000_000;
const iso = (us: number) => new Date(us / 1000).toISOString();

/** A request, and how long it may take at most (p99), milliseconds. */
interface Kind {
  readonly path: string;
  /** The request of each moment; default `path`. */
  readonly next?: () => string;
  readonly boundMs: number;
}

/** The requests of a page. */
function pageReads(): readonly Kind[] {
  const quarter = `Timestamp1=${iso(nowUs - 90 * dayUs)}&Timestamp2=${iso(nowUs)}`;
  return [
    { path: '/states?Limit=1000', boundMs: 60 },
    { path: '/states?Limit=1000&With=Tags,Locations,LastCheck,Master', boundMs: 60 },
    // A page polls by the revision of its last answer.
    {
      path: '/states?Limit=1000&ChangedSince=',
      next: () => `/states?Limit=1000&ChangedSince=${revision}`,
      boundMs: 20,
    },
    { path: '/summary', boundMs: 30 },
    { path: '/summary?By=Tag,Location', boundMs: 30 },
    { path: '/summary?By=Path', boundMs: 30 },
    { path: '/timeline?Tag=site-3/rack-31&Limit=500', boundMs: 150 },
    { path: `/timeline?Tag=site-3/rack-31&Limit=500&${quarter}`, boundMs: 400 },
    { path: `/devices/${rolledId}/statistics?Bucket=Hour&With=Phases&${quarter}`, boundMs: 80 },
  ];
}

await using resources = new AsyncDisposableStack();
const embedded = resources.use(await startBenchDatabase());
const { log } = embedded;
/** The device with roll-ups of three months. */
const [rolledNo, rolledId] = [31 * devicesOfTag + 1, '31'.repeat(24)];
const { accountNo } = await makeDatabase();
const rest = resources.use(await startRestProcess({ url: embedded.url, nowUs, accountNo }));

async function makeDatabase(): Promise<{ readonly accountNo: number }> {
  const db = await createDb({ connection: { url: embedded.url }, log });
  try {
    await db.migrate();
    await createPartitions({ db, clock: createFakeClock(nowUs), log, retentionDays: 1 }).ensure();
    const made = await makeManyDevices(db, devices, nowUs);
    await tagDevices(db, made.accountNo);
    await setUp(db.kysely, (connection) => moveWindows(connection));
    await sql`update devices set device_id = ${rolledId} where device_no = ${rolledNo}::int`.execute(
      db.kysely,
    );
    await rollUpDevice(db, { deviceNo: rolledNo, locationNo: made.locationNo, toUs: nowUs, hours: 90 * 24 });
    return made;
  } finally {
    await db.close();
  }
}

/** Gives each device a tag and the level above it, and the devices of one tag a quarter with an outage a day. */
async function tagDevices({ kysely }: Pick<Db, 'kysely'>, account: number): Promise<void> {
  const level = sql`'site-' || tag / ${tagsOfLevel}::int`;
  await setUp(kysely, async (connection) => {
    await sql`
      create temp table tagged as select device_no, device_no / ${devicesOfTag}::int as tag
      from devices where account_no = ${account}::int`.execute(connection);
    await sql`
      insert into tags (tag_id, account_no, name)
      select md5(name), ${account}::int, name from (
        select distinct ${level} as name from tagged union select distinct ${level} || '/rack-' || tag from tagged) named`.execute(
      connection,
    );
    await sql`
      insert into device_tags (tag_no, device_no)
      select t.tag_no, d.device_no from tagged d join tags t on t.account_no = ${account}::int
        and t.name in (${level}, ${level} || '/rack-' || tag)`.execute(connection);
    await sql`
      insert into status_intervals (device_no, from_us, status)
      select d.device_no, ${nowUs}::bigint - (day * 86400 - part * 600) * 1000000::bigint, case when part = 0 then 'Up' else 'Down' end
      from tagged d, generate_series(1, 90) day, generate_series(0, 1) part where tag = 31
      on conflict do nothing`.execute(connection);
    await sql`drop table tagged`.execute(connection);
    await sql`vacuum analyze tags, device_tags, status_intervals, device_marks`.execute(connection);
  });
}

/** No window begins or ends now: a poll would rightly read their devices each time, because the clock stands still. */
async function moveWindows(connection: Db['kysely']): Promise<void> {
  await sql`
    update maintenance_windows set from_us = from_us - 3600000000,
      to_us = to_us + case when to_us > ${nowUs}::bigint then 3600000000 else -3600000000 end`.execute(
    connection,
  );
  await sql`vacuum analyze maintenance_windows`.execute(connection);
}

/** Changes the status of one device after the other, a number of them a minute, until the signal. */
async function changeDevices(db: Db, aMinute: number, signal: AbortSignal): Promise<void> {
  for (let at = 0; !signal.aborted; at = (at + 7919) % devices) {
    const next = delay(60_000 / aMinute, undefined, { signal }).catch(() => {});
    await sql`
      update device_state set status = case when status = 'Up' then 'Down' else 'Up' end, since_us = ${nowUs}::bigint
      where device_no = ${at + 1}::int`.execute(db.kysely);
    await next;
  }
}

/** CPU milliseconds of the API and its database. */
function cpuMs(): number {
  const pids = [rest.pid, ...withChildren(embedded.pid)];
  return pids.reduce((sum, pid) => sum + usage(pid).cpuS * 1000, 0);
}

/** Reads an answer. Resolves with the milliseconds that it took. */
async function read(route: string): Promise<number> {
  const { ms, headers } = await rest.read(route);
  revision = String(headers['vantage-revision'] ?? revision);
  return ms;
}

/** Reads an answer by several connections at the same time, again and again, for some seconds. */
async function run({ path: kind, next = () => kind }: Kind, connections: number, forS: number) {
  const [fromMs, before] = [performance.now(), cpuMs()];
  const times: number[] = [];
  const line = async () => {
    while (performance.now() < fromMs + forS * 1000) times.push(await read(next()));
  };
  await Promise.all(Array.from({ length: connections }, line));
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => round(sorted[Math.floor(sorted.length * part)] ?? Number.NaN);
  return { p50: at(0.5), p99: at(0.99), cpu: round((cpuMs() - before) / times.length) };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** No list may take longer, also beside seven others. */
const listBoundMs = 50;
const changesAMinute = 5000;

async function measure(kind: Kind): Promise<readonly Figure[]> {
  const { path: route, boundMs: theirs } = kind;
  await run(kind, 8, 0.5); // every connection prepares the statements
  const one = await run(kind, 1, seconds);
  const eight = await run(kind, 8, seconds);
  const shared = { unit: 'ms', better: 'less' } as const;
  const p99 = { ...shared, peer: 'bound', theirs };
  return [
    { ...p99, what: `${route}: p99, one connection`, ours: one.p99 },
    { ...p99, what: '  p99, eight connections', ours: eight.p99 },
    { ...shared, what: '  CPU', ours: eight.cpu, peer: 'p50, one connection', theirs: one.p50 },
  ];
}

async function measureAll(title: string, kinds: readonly Kind[]): Promise<void> {
  const figures: Figure[] = [];
  for (const kind of kinds) figures.push(...(await measure(kind)));
  printFigures(title, figures);
}

const only = process.argv[4];
if (only !== 'page')
  await measureAll(
    `Lists of ${devices} devices`,
    lists.map((query) => ({ path: `/devices?${query}`, boundMs: listBoundMs })),
  );
if (only !== 'lists') {
  const db = await createDb({ connection: { url: embedded.url }, log });
  resources.defer(() => db.close());
  await read('/states?Limit=1');
  const ending = new AbortController();
  const changing = changeDevices(db, changesAMinute, ending.signal);
  try {
    await measureAll(
      `What a page reads of ${devices} devices, ${changesAMinute} changing a minute`,
      pageReads(),
    );
  } finally {
    ending.abort();
    await changing;
  }
}
