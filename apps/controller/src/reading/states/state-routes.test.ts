import { minuteUs } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { recordEvents } from '../../results/events/record-events.ts';
import { createRestHealth } from '../../results/status/index.ts';
import { type AccountApi, addAccount } from '../../testing/one-account.ts';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';

const rowSchema = z.looseObject({ device_id: z.string() });
type Row = z.output<typeof rowSchema>;

let rest: RestFixture;
let one: AccountApi;
let accounts = 0;
beforeAll(async () => {
  rest = await createRestFixture({
    health: (_, clock) => createRestHealth({ recordEvents, clock }),
  });
});
afterAll(() => rest[Symbol.asyncDispose]());
beforeEach(async () => {
  accounts += 1;
  one = await addAccount(rest, `states ${accounts}`);
});

const device = (ShortName: string, more: object = {}) =>
  one.create('/devices', { Method: 'TCP', URL: 'example.org:9', ShortName, ...more });

async function states(
  query = '',
): Promise<{ readonly rows: Row[]; readonly revision: string; readonly link: string }> {
  const reply = await one.send('GET', `/states${query}`);
  expect([query, reply.status, reply.status === 200 || reply.text]).toEqual([query, 200, true]);
  return {
    rows: z.array(rowSchema).parse(reply.json),
    revision: reply.headers.get('vantage-revision') ?? '',
    link: reply.headers.get('link') ?? '',
  };
}

/** A revision after which nothing comes: transactions of other tests that run now make changes of before come again. */
const quiet = (more = '') =>
  vi.waitFor(async () => {
    const { revision } = await states(more === '' ? '' : `?${more.slice(1)}`);
    expect((await since(revision, more)).rows).toEqual([]);
    return revision;
  }, soon);
const soon = { timeout: 60_000, interval: 50 };

const since = (revision: string, more = '') => states(`?ChangedSince=${revision}${more}`);
const ids = (rows: readonly Row[]) => rows.map(({ device_id }) => device_id);

/** Gives the device another status, as a check does. */
const set = (deviceId: string, status: string) =>
  sql`update device_state set status = ${status}, since_us = since_us + 1
    where device_no = (select device_no from devices where device_id = ${deviceId})`.execute(rest.db.kysely);

test('a row has the state of a device, and what With names', async () => {
  const tag = await one.create('/tags', { Name: 'berlin' });
  const master = await device('gw');
  const id = await device('web', { Tags: ['berlin'], device_master_id: master, FullName: 'Web shop' });
  const plain = (await states()).rows.find(({ device_id }) => device_id === id);
  expect(plain).toEqual({
    device_id: id,
    ShortName: 'web',
    FullName: 'Web shop',
    Method: 'TCP',
    Status: 'Unknown',
    StatusSince: expect.any(String),
    Enabled: true,
    Retrying: false,
    Severity: expect.any(String),
    MaintenanceUntil: null,
    DownBecause: null,
  });
  const full = (await states('?With=Tags,Locations,LastCheck,Master,Day')).rows.at(-1);
  expect(full).toEqual({
    ...plain,
    Tags: [{ tag_id: tag, Name: 'berlin' }],
    Locations: [{ location_id: expect.any(String), Name: 'local' }],
    LastCheck: null,
    Master: { device_id: master, ShortName: 'gw' },
    Day: '?'.repeat(72),
  });
});

test('Day has the worst status of each 20 minutes, the last letter is of now', async () => {
  const id = await device('web');
  const nowUs = rest.clock.nowUs();
  const { rows } = await sql<{
    device_no: number;
  }>`select device_no from devices where device_id = ${id}`.execute(rest.db.kysely);
  const deviceNo = rows[0]?.device_no ?? 0;
  await sql`update devices set created_us = ${nowUs - 100 * 60 * minuteUs}`.execute(rest.db.kysely);
  await sql`insert into maintenance_windows (device_no, from_us, to_us)
    values (${deviceNo}, ${nowUs - 200 * minuteUs}, ${nowUs - 180 * minuteUs})`.execute(rest.db.kysely);
  const [row] = (await states('?With=Day')).rows;
  const day = z.string().parse(row?.['Day']);
  expect(day).toHaveLength(72);
  expect(day.replaceAll('?', '')).toMatch(/^M{1,2}$|^$/);
});

test('several tags: any of them, or each', async () => {
  for (const Name of ['a', 'b', 'c']) await one.create('/tags', { Name });
  const both = await device('both', { Tags: ['a', 'b'] });
  const first = await device('first', { Tags: ['a'] });
  await device('third', { Tags: ['c'] });
  expect(ids((await states('?Tag=a,b')).rows)).toEqual([both, first]);
  expect(ids((await states('?Tag=a,b&Match=All')).rows)).toEqual([both]);
  expect((await one.send('GET', '/states?Tag=a,nothing')).json).toMatchObject({ code: 1003 });
  expect((await one.send('GET', '/states?With=Tags,Nothing')).json).toMatchObject({
    code: 1004,
    errors: [{ field: 'With' }],
  });
});

test('pages of a thousand, and after the last one', async () => {
  const all = [];
  for (let i = 0; i < 5; i += 1) all.push(await device(`d${i}`));
  const first = await states('?Limit=2');
  expect([ids(first.rows), first.link]).toEqual([
    all.slice(0, 2),
    expect.stringContaining(`After=${all[1]}`),
  ]);
  expect(ids((await states(`?Limit=9999&After=${all[1]}`)).rows)).toEqual(all.slice(2));
});

test('what changed comes, what did not does not', async () => {
  const [still, loud, gone] = [await device('still'), await device('loud'), await device('gone')];
  const before = await quiet();
  await set(loud, 'Down');
  await one.send('DELETE', `/devices/${gone}`);
  const { rows } = await since(before);
  expect(rows).toEqual([
    expect.objectContaining({ device_id: loud, Status: 'Unknown' }),
    { device_id: gone, Gone: true },
  ]);
  const revision = await quiet();
  expect((await one.send('PUT', `/devices/${still}`, { ShortName: 'q' })).status).toBe(200);
  expect((await since(revision)).rows).toEqual([expect.objectContaining({ ShortName: 'q' })]);
});

test.each([
  ['its tag', async (id: string) => one.send('PUT', `/devices/${id}`, { Tags: [] })],
  ['the name of its tag', async () => one.send('PUT', `/tags/${tagId}`, { Name: newId() })],
  [
    'a maintenance',
    async (id: string) => one.send('PUT', `/devices/${id}/start-maintenance`, { Duration: '01:00' }),
  ],
  [
    'its Location, which is online',
    async () => sql`update locations set online = true`.execute(rest.db.kysely),
  ],
  ['its pause', async (id: string) => one.send('PUT', `/devices/${id}`, { Enabled: false })],
])('%s changes a device', async (_, change) => {
  tagId = await one.create('/tags', { Name: 'berlin' });
  const id = await device('web', { Tags: ['berlin'] });
  await device('other', { Locations: [] });
  await sql`update locations set online = false`.execute(rest.db.kysely);
  const revision = await quiet();
  await change(id);
  expect(ids((await since(revision)).rows)).toEqual([id]);
});
let tagId = '';

test('the fall of a master changes the devices behind it', async () => {
  const master = await device('gw');
  const id = await device('web', { device_master_id: master });
  const revision = await quiet();
  await set(master, 'Down');
  expect(ids((await since(revision)).rows)).toEqual([master, id]);
});

test('a window that begins, and one that ends, changes its device without a write', async () => {
  const id = await device('web');
  const nowUs = rest.clock.nowUs();
  await sql`insert into maintenance_windows (device_no, from_us, to_us)
    select device_no, ${nowUs + 60_000_000}, ${nowUs + 120_000_000} from devices where device_id = ${id}`.execute(
    rest.db.kysely,
  );
  const first = await quiet();
  await rest.clock.advance(61_000);
  const second = await since(first);
  expect(second.rows).toEqual([expect.objectContaining({ device_id: id, Status: 'Maint' })]);
  await rest.clock.advance(60_000);
  expect((await since(second.revision)).rows).toEqual([
    expect.objectContaining({ device_id: id, MaintenanceUntil: null }),
  ]);
});

test('a device that leaves the list is Gone', async () => {
  await one.create('/tags', { Name: 'x' });
  const id = await device('web', { Tags: ['x'] });
  const revision = await quiet('&Tag=x');
  await one.send('PUT', `/devices/${id}`, { Tags: [] });
  expect((await since(revision, '&Tag=x')).rows).toEqual([{ device_id: id, Gone: true }]);
});

test('many changes come in pages', async () => {
  const all = [];
  const revision = await quiet();
  for (let i = 0; i < 5; i += 1) all.push(await device(`d${i}`));
  const first = await since(revision, '&Limit=2');
  expect(ids(first.rows)).toEqual(all.slice(0, 2));
  expect(first.link).toContain(`After=${all[1]}`);
  expect(ids((await since(revision, `&Limit=9&After=${all[1]}`)).rows)).toEqual(all.slice(2));
});

test('what a transaction changed that was running while the reader read is not missed', async () => {
  const id = await device('web');
  let revision = '';
  await rest.db.kysely.transaction().execute(async (trx) => {
    await sql`update device_state set retrying = true
      where device_no = (select device_no from devices where device_id = ${id})`.execute(trx);
    await device('later');
    ({ revision } = await states());
  });
  expect(ids((await since(revision)).rows)).toContain(id);
});

test.each(['x', '0-0-0', '', 'a-b', '-1-2-3', `${'z'.repeat(40)}`])('%j is no revision', async (text) => {
  expect((await one.send('GET', `/states?ChangedSince=${text}`)).json).toMatchObject({
    code: 1004,
    errors: [{ field: 'ChangedSince' }],
  });
});

test('an old revision is refused, and names what to do', async () => {
  const { revision } = await states();
  await rest.clock.advance(51 * 60_000);
  const refused = await one.send('GET', `/states?ChangedSince=${revision}`);
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('read all without it')]);
});

test('another account sees none of it', async () => {
  const other = await addAccount(rest, `other ${accounts}`);
  const { revision } = await states();
  await device('mine');
  expect((await other.send('GET', `/states?ChangedSince=${revision}`)).json).toEqual([]);
});
