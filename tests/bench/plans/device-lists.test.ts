import { randomBytes } from 'node:crypto';
import { createFakeClock } from '@vantage/kernel/testing';
import type { Db } from '@vantage/storage';
import { createSealer } from '@vantage/storage/secrets/seal';
import type { TestDatabase } from '@vantage/testing/database';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { CompiledQuery, createQueryId, type KyselyPlugin, type RootOperationNode } from 'kysely';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  byCreation,
  type DeviceListRequest,
} from '../../../apps/controller/src/catalog/devices/device-list-request.ts';
import { listDevices } from '../../../apps/controller/src/catalog/devices/device-list-store.ts';
import { loadsOf, overloadedNames } from '../../../apps/controller/src/catalog/devices/location-overload.ts';
import { dressDevices } from '../../../apps/controller/src/catalog/devices/testing/listed-devices.ts';
import { makeManyDevices } from '../../../apps/controller/src/catalog/devices/testing/many-devices.ts';
import { recordEvents } from '../../../apps/controller/src/results/events/record-events.ts';
import { createRestHealth } from '../../../apps/controller/src/results/status/manual-maintenance.ts';
import { createRestFixture } from '../../../apps/controller/src/testing/rest-fixture.ts';

/**
 * VANTAGE_TEST_PLAN_DEVICES=100000 shows the plans of a large account; a tenth of the devices belongs to another one.
 */
const devices = Number(process.env['VANTAGE_TEST_PLAN_DEVICES'] ?? 12_000);
/**
 * So many rows may one statement read, of all tables together: 1,000 devices one by one, twice, those of the page, and
 * the exceptions several times.
 */
const mostRows = 6_000;
const nowUs = 1_790_000_000_000_000;
let database: TestDatabase;
let db: Db;
let accountNo: number;
let locationNo: number;

useDatabase(
  async (opened, made) => {
    db = opened;
    database = made;
    ({ accountNo, locationNo } = await makeManyDevices(db, devices, nowUs));
  },
  { timeoutMs: 300_000 },
);

const plan: z.ZodType<Plan> = z.lazy(() =>
  z.object({
    'Relation Name': z.string().optional(),
    'CTE Name': z.string().optional(),
    'Index Name': z.string().optional(),
    'Actual Rows': z.number(),
    'Actual Loops': z.number(),
    'Rows Removed by Filter': z.number().default(0),
    Plans: z.array(plan).optional(),
  }),
);
interface Plan {
  readonly 'Relation Name'?: string | undefined;
  readonly 'CTE Name'?: string | undefined;
  readonly 'Index Name'?: string | undefined;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter': number;
  readonly Plans?: Plan[] | undefined;
}

/**
 * Rows that a plan read of tables and of its common table expressions, or of one table; PostgreSQL counts them for each
 * loop of a node.
 */
function rowsRead(node: Plan, table?: string): number {
  const own = (node['Actual Rows'] + node['Rows Removed by Filter']) * node['Actual Loops'];
  const inner = (node.Plans ?? []).reduce((sum, each) => sum + rowsRead(each, table), 0);
  const read = node['Relation Name'] ?? node['CTE Name'];
  return inner + (read === undefined || (table ?? read) !== read ? 0 : own);
}

/** The indexes that a plan reads. */
function indexesRead(node: Plan): readonly string[] {
  return [node['Index Name'] ?? [], (node.Plans ?? []).flatMap(indexesRead)].flat();
}

/** The most rows that a statement of this work read. */
async function mostRowsRead(work: Work): Promise<number> {
  return Math.max(...(await plansOf(work)).map((each) => rowsRead(each)));
}

/** Reads lists. */
type Work = (kysely: Db['kysely']) => Promise<unknown>;

/** The plan of each statement of this work, with the rows that it read. */
async function plansOf(work: Work): Promise<readonly Plan[]> {
  const statements: RootOperationNode[] = [];
  const recorder: KyselyPlugin = {
    transformQuery({ node }) {
      statements.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  await work(db.kysely.withPlugin(recorder));
  const plans: Plan[] = [];
  for (const node of statements) {
    const { sql: text, parameters } = db.kysely.getExecutor().compileQuery(node, createQueryId());
    const explained = CompiledQuery.raw(`explain (analyze, timing off, buffers off, format json) ${text}`, [
      ...parameters,
    ]);
    const { rows } = await db.kysely.executeQuery<Record<string, unknown>>(explained);
    const [{ Plan: root }] = z.tuple([z.object({ Plan: plan })]).parse(rows[0]?.['QUERY PLAN']);
    plans.push(root);
    if (process.env['VANTAGE_TEST_PLAN_DEVICES'])
      process.stdout.write(`${text}\n${JSON.stringify(rows[0]?.['QUERY PLAN'], null, 1)}\n`);
  }
  return plans;
}

const asks: Readonly<Record<string, Partial<DeviceListRequest>>> = {
  'the first page': {},
  Down: { filter: { statuses: ['Down'] } },
  Up: { filter: { statuses: ['Up'] } },
  Maint: { filter: { statuses: ['Maint'] } },
  'Unknown, most of them at an offline Location': { filter: { statuses: ['Unknown'] } },
  'Up at a Location': {
    filter: {
      statuses: ['Up'],
      get locationNos() {
        return [locationNo];
      },
    },
  },
  'Up of a Method': { filter: { statuses: ['Up'], methods: ['PING'] } },
  'Down of a text': { filter: { statuses: ['Down'], search: 'd1234' } },
  'Down of a letter that many have': { filter: { statuses: ['Down'], search: 'x' } },
  'Down of a letter that few have': { filter: { statuses: ['Down'], search: 'q' } },
  'Down of a text that many have, sorted by name': {
    filter: { statuses: ['Down'], search: 'example' },
    sort: { field: 'ShortName', descending: false },
  },
  'sorted by name': { sort: { field: 'ShortName', descending: false } },
  'Down, sorted by name': { filter: { statuses: ['Down'] }, sort: { field: 'ShortName', descending: false } },
  'Up, sorted by name': { filter: { statuses: ['Up'] }, sort: { field: 'ShortName', descending: true } },
  'sorted by status': { sort: { field: 'Status', descending: false } },
  'sorted by status, backwards': { sort: { field: 'Status', descending: true } },
  'sorted by the begin of the status': { sort: { field: 'StatusSince', descending: false } },
  'sorted by the begin of the status, backwards': { sort: { field: 'StatusSince', descending: true } },
  'a text': { filter: { search: 'd1234' } },
  'a letter that many have': { filter: { search: 'e' } },
  'a letter that few have': { filter: { search: 'q' } },
  'a letter that none has': { filter: { search: 'ü' } },
  'two letters that many have': { filter: { search: 'ex' } },
  'two letters that few have': { filter: { search: 'qz' } },
  'two letters that none has': { filter: { search: 'zq' } },
  'a text that many have': { filter: { search: '.example:9' } },
  'a text that none has': { filter: { search: 'example:99' } },
  'a letter that many have, sorted by name': {
    filter: { search: 'e' },
    sort: { field: 'ShortName', descending: false },
  },
  'a letter that few have, sorted by name': {
    filter: { search: 'q' },
    sort: { field: 'ShortName', descending: true },
  },
  'a letter that many have, sorted by status': {
    filter: { search: 'e' },
    sort: { field: 'Status', descending: false },
  },
  'a letter that few have, sorted by the begin of the status': {
    filter: { search: 'q' },
    sort: { field: 'StatusSince', descending: true },
  },
  'a letter that few have, of a Method': { filter: { search: 'q', methods: ['PING'] } },
};

test.each(Object.entries(asks))('the list %j reads few rows', async (_, part) => {
  const ask = { accountNo, nowUs, limit: 100, offset: 0, filter: {}, sort: byCreation, ...part };
  expect(await mostRowsRead((kysely) => listDevices({ kysely }, ask))).toBeLessThan(mostRows);
});

test('of many devices with a text and a status, the names lead to the page, though nobody knows how many have the text', async () => {
  const sort = { field: 'ShortName', descending: false } as const;
  const filter = { statuses: ['Up'], search: 'example' } as const;
  const ask = { accountNo, nowUs, limit: 100, offset: 0, filter, sort };
  expect(await mostRowsRead((kysely) => listDevices({ kysely }, ask, 100))).toBeLessThan(mostRows);
});

test('a list of devices with a text, sorted by status, reads no status after those that fill the page', async () => {
  const filter = { search: 'host19' };
  const sort = { field: 'Status', descending: false } as const;
  const ask = { accountNo, nowUs, limit: 15, offset: 0, filter, sort };
  expect(await mostRowsRead((kysely) => listDevices({ kysely }, ask, 100))).toBeLessThan(4_000);
});

test('a list of a status that most devices have, sorted by name, does not search for these devices first', async () => {
  const sort = { field: 'ShortName', descending: false } as const;
  const ask = { accountNo, nowUs, limit: 25, offset: 0, filter: { statuses: ['Up'] }, sort } as const;
  const plans = await plansOf((kysely) => listDevices({ kysely }, ask));
  expect(plans.reduce((sum, each) => sum + rowsRead(each, 'device_state'), 0)).toBeLessThan(700);
});

test('a list of the devices that are Down reads no state of a device in maintenance that is not Down', async () => {
  const ask = {
    accountNo,
    nowUs,
    limit: 25,
    offset: 0,
    filter: { statuses: ['Down'] },
    sort: byCreation,
  } as const;
  const rows = (await plansOf((kysely) => listDevices({ kysely }, ask))).map((each) =>
    rowsRead(each, 'device_state'),
  );
  expect(Math.max(...rows)).toBeLessThan(100);
});

test.each(['Up', 'Down'] as const)(
  'a page of the devices that are %s reads no other device',
  async (status) => {
    const ask = { accountNo, nowUs, limit: 999, offset: 0, filter: { statuses: [status] }, sort: byCreation };
    const plans = await plansOf((kysely) => listDevices({ kysely }, ask));
    expect(plans.reduce((sum, each) => sum + rowsRead(each, 'devices'), 0)).toBeLessThan(2_500);
  },
);

test.each([['q'], ['ü'], ['qz'], ['zq'], ['d1234'], ['host1777.']])(
  'the text %j, which few devices have, is found by its index',
  async (search) => {
    const ask = { accountNo, nowUs, limit: 100, offset: 0, filter: { search }, sort: byCreation };
    const plans = await plansOf((kysely) => listDevices({ kysely }, ask));
    expect(plans.flatMap(indexesRead)).toContain('device_texts_grams');
  },
);

test('the load of a Location is known without reading its devices', async () => {
  const make = createFixtures(db.kysely);
  await make.agent({ accountNo, locationNo }, { state: 'Connected', capacity: 1 });
  const names: string[] = [];
  const work = async (kysely: Db['kysely']) =>
    void names.push(...overloadedNames(await loadsOf(kysely, [locationNo]), () => 1));
  expect(await mostRowsRead(work)).toBeLessThan(200);
  expect(names).toHaveLength(1);
});

test('a page gets 5,000 devices with tags, Locations, last check and day in 6 requests and 400 kB, and learns in 2 kB that nothing changed', async () => {
  const clock = createFakeClock(nowUs);
  await dressDevices(db, clock, { accountNo, locationNo, count: 5_000 });
  await using rest = await createRestFixture({
    beside: { database, clock, sealer: createSealer(randomBytes(32)) },
    health: (_, time) => createRestHealth({ clock: time, recordEvents }),
  });
  const { key } = await rest.key(accountNo, 'UR');
  for (const encoding of ['br', 'gzip']) {
    const read = (path: string) => rest.send('GET', path, { key, headers: { 'Accept-Encoding': encoding } });
    let path: string | undefined = '/states?Tag=site&With=Tags,Locations,LastCheck,Day&Limit=1000';
    let [requests, bytes] = [0, 0];
    const ids = new Set<string>();
    while (path !== undefined) {
      const { headers, json } = await read(path);
      expect(headers.get('Content-Encoding')).toBe(encoding);
      [requests, bytes] = [requests + 1, bytes + Number(headers.get('Content-Length'))];
      for (const row of listed.parse(json)) ids.add(row.device_id);
      path = /^<\/v1\.1(.*)>; rel="next"$/.exec(headers.get('Link') ?? '')?.[1];
    }
    expect([ids.size, requests]).toEqual([5_000, 5]);
    expect(bytes).toBeLessThan(400_000);
    // While a transaction of another test runs, the last changes are returned again.
    const poll = async () => {
      const revision = (await read('/states?Tag=site&Limit=1')).headers.get('Vantage-Revision');
      return read(`/states?Tag=site&With=Tags,Locations,LastCheck,Day&ChangedSince=${revision}`);
    };
    await expect.poll(async () => (await poll()).text.trim(), { timeout: 60_000 }).toBe('[]');
    const { headers, text } = await poll();
    expect([...headers].join('\r\n').length + text.length).toBeLessThan(2_000);
  }
});

const listed = z.array(
  z.object({
    device_id: z.string().length(48),
    Tags: z.array(z.unknown()).length(2),
    Locations: z.array(z.unknown()).min(1),
    LastCheck: z.object({ RequestTime: z.number() }),
    Day: z.string().regex(/^[UD]{72}$/),
  }),
);
