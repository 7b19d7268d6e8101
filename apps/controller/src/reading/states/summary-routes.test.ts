import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { recordEvents } from '../../results/events/record-events.ts';
import { createRestHealth } from '../../results/status/index.ts';
import { type AccountApi, addAccount } from '../../testing/one-account.ts';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';
import { addAlert } from '../../testing/sample-account.ts';
import { levelsOf } from './tag-levels.ts';

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
  one = await addAccount(rest, `summary ${accounts}`);
});

const device = (ShortName: string, more: object = {}) =>
  one.create('/devices', { Method: 'TCP', URL: 'example.org:9', ShortName, ...more });
const counts = { Worst: z.string().nullable(), Up: z.int(), Down: z.int(), Maint: z.int(), Unknown: z.int() };
const answer = z.object({
  Timestamp: z.string(),
  Devices: z.record(z.string(), z.int()),
  Alerts: z.record(z.string(), z.int()),
  LastCheck: z.string().nullable(),
  Tags: z.array(z.object({ tag_id: z.string().nullable(), Name: z.string(), ...counts })).optional(),
  Locations: z
    .array(z.object({ Name: z.string(), Online: z.boolean(), ...counts, location_id: z.string() }))
    .optional(),
});
const summary = async (by = '') => answer.parse((await one.send('GET', `/summary${by && `?By=${by}`}`)).json);
const set = (deviceId: string, status: string) =>
  sql`update device_state set status = ${status} where device_no = (select device_no from devices where device_id = ${deviceId})`.execute(
    rest.db.kysely,
  );

test('an empty account has nothing', async () => {
  expect(await summary('Path,Location')).toMatchObject({
    Devices: { Total: 0, Up: 0, Down: 0, Maint: 0, Unknown: 0, Paused: 0, Retrying: 0 },
    Alerts: { Open: 0, Acknowledged: 0, Snoozed: 0, Suppressed: 0 },
    Tags: [],
  });
});

test('the counts are those of the rows of /states, in all, by tag, by level and by Location', async () => {
  const names = ['berlin', 'berlin/rack-1', 'berlin/rack-2', 'oslo/a/b', 'empty'];
  for (const Name of names) await one.create('/tags', { Name });
  const random = fc.sample(fc.tuple(fc.subarray(names.slice(0, 4)), fc.nat(3), fc.boolean()), 25);
  for (const [at, [Tags, status, isPaused]] of random.entries()) {
    const id = await device(`d${at}`, { Tags, ...(isPaused && { Enabled: false }) });
    await set(id, ['Up', 'Down', 'Unknown', 'Up'][status] ?? 'Up');
    if (at % 6 === 0) await one.send('PUT', `/devices/${id}/start-maintenance`, { Minutes: 30 });
  }
  await sql`update locations set online = true where account_no = ${one.accountNo}`.execute(rest.db.kysely);
  const rows = z
    .array(
      z.object({
        Status: z.enum(['Up', 'Down', 'Maint', 'Unknown']),
        Enabled: z.boolean(),
        Tags: z.array(z.object({ Name: z.string() })),
        Locations: z.array(z.object({ Name: z.string() })),
      }),
    )
    .parse((await one.send('GET', '/states?With=Tags,Locations')).json);
  const of = (some: typeof rows) => {
    const n = (status: string) => some.filter(({ Status }) => Status === status).length;
    const four = { Up: n('Up'), Down: n('Down'), Maint: n('Maint'), Unknown: n('Unknown') };
    const Worst = (['Down', 'Unknown', 'Maint', 'Up'] as const).find((status) => four[status] > 0) ?? null;
    return { Worst, ...four };
  };
  const { Worst: _, ...all } = of(rows);
  const seen = await summary('Tag,Location');
  expect(seen.Devices).toEqual({
    Total: rows.length,
    ...all,
    Paused: rows.filter(({ Enabled }) => !Enabled).length,
    Retrying: 0,
  });
  const under = (level: string) =>
    of(rows.filter(({ Tags }) => Tags.some(({ Name }) => Name === level || Name.startsWith(`${level}/`))));
  expect(seen.Tags).toEqual(
    names.toSorted().map((Name) => ({
      tag_id: expect.any(String),
      Name,
      ...of(rows.filter(({ Tags }) => Tags.some((tag) => tag.Name === Name))),
    })),
  );
  const byPath = (await summary('Path')).Tags;
  expect(byPath?.map(({ tag_id, ...level }) => ({ ...level, isTag: tag_id !== null }))).toEqual(
    [...names, 'oslo', 'oslo/a']
      .toSorted()
      .map((Name) => ({ Name, ...under(Name), isTag: names.includes(Name) })),
  );
  expect(seen.Locations).toHaveLength(1);
  expect(seen.Locations?.[0]).toMatchObject({
    Online: true,
    ...of(rows.filter(({ Locations }) => Locations.length > 0)),
  });
});

test('each open alert is counted once by its state, and those whose messages are held back once more', async () => {
  const { kysely } = rest.db;
  const changes = [
    sql`severity = 'info'`,
    sql`state = jsonb_set(state, '{phase}', '"suppressed"')`,
    sql`state = jsonb_set(state, '{phase}', '"suppressed"'), acknowledged_us = 1`,
    sql`acknowledged_us = 1`,
    sql`snoozed_until_us = ${rest.clock.nowUs() + 60_000_000}::bigint`,
    sql`state = jsonb_set(state, '{phase}', '"suppressed"'), closed_us = 1`,
  ];
  for (const [at, change] of changes.entries()) {
    const deviceId = await device(`d${at}`);
    const { device_no: deviceNo } = await kysely
      .selectFrom('devices')
      .select('device_no')
      .where('device_id', '=', deviceId)
      .executeTakeFirstOrThrow();
    const { accountNo, locationNo } = one;
    const alertId = await addAlert(rest, { accountNo, locationNo, deviceNo, deviceId });
    await sql`update alerts set ${change} where alert_id = ${alertId}`.execute(kysely);
  }
  expect((await summary()).Alerts).toEqual({ Open: 2, Acknowledged: 2, Snoozed: 1, Suppressed: 1 });
  const listed = (await one.send('GET', '/alerts?State=Open&Suppressed=true')).json;
  expect(listed).toHaveLength(1);
});

const statesOfTag = async (tag: string) =>
  z
    .array(z.object({ Status: z.string() }))
    .parse((await one.send('GET', `/states?Tag=${tag}`)).json)
    .map(({ Status }) => Status);

test('after each change the counts by tag are those of the rows of /states', async () => {
  for (const Name of ['a', 'b']) await one.create('/tags', { Name });
  const ids: string[] = [];
  for (let at = 0; at < 6; at += 1)
    ids.push(await device(`d${at}`, { Tags: at % 2 === 0 ? ['a', 'b'] : ['a'] }));
  const [first = '', second = '', third = '', ...rest3] = ids;
  const online = (is: boolean) =>
    sql`update locations set online = ${is} where account_no = ${one.accountNo}`.execute(rest.db.kysely);
  await online(true);
  for (const id of ids) await set(id, 'Up');
  const changes: readonly (() => Promise<unknown>)[] = [
    async () => {},
    () => set(first, 'Down'),
    () => one.send('PUT', `/devices/${second}`, { Tags: ['b'] }),
    () => one.send('PUT', `/devices/${third}`, { Tags: [] }),
    () => one.send('PUT', `/devices/${first}/start-maintenance`, { Minutes: 1 }),
    () => online(false),
    () => rest.clock.advance(61_000),
    () => online(true),
    () => one.send('DELETE', `/devices/${rest3[0]}`),
    () => device('new', { Tags: ['b'] }),
    // Longer than the marks of changes are kept.
    () => rest.clock.advance(3_700_000),
    () => set(first, 'Up'),
  ];
  for (const [at, change] of changes.entries()) {
    await change();
    const seen = (await summary('Tag')).Tags?.map(({ Name, Up, Down, Maint, Unknown }) => ({
      Name,
      rows: { Up, Down, Maint, Unknown },
    }));
    const wanted = await Promise.all(
      ['a', 'b'].map(async (Name) => {
        const rows = await statesOfTag(Name);
        const n = (status: string) => rows.filter((each) => each === status).length;
        return { Name, rows: { Up: n('Up'), Down: n('Down'), Maint: n('Maint'), Unknown: n('Unknown') } };
      }),
    );
    expect([at, seen]).toEqual([at, wanted]);
  }
});

test('the counts by tag that a preview saw are forgotten with it', async () => {
  await one.create('/tags', { Name: 'rack' });
  await device('a', { Tags: ['rack'] });
  const before = (await summary('Tag')).Tags;
  expect(before).toMatchObject([{ Name: 'rack', Unknown: 1 }]);
  const Body = { Method: 'TCP', URL: 'example.org:9', ShortName: 'b', Tags: ['rack'] };
  const preview = await one.send('POST', '/batch', {
    Atomic: true,
    Preview: true,
    Operations: [
      { Method: 'POST', Path: '/devices', Body },
      { Method: 'GET', Path: '/summary?By=Tag' },
    ],
  });
  expect(preview.json).toMatchObject({
    Results: [{ Status: 200 }, { Status: 200, Body: { Tags: [{ Name: 'rack', Unknown: 2 }] } }],
  });
  expect((await summary('Tag')).Tags).toEqual(before);
});

test('levels add up for any names: each tag belongs to itself and to every path above', () => {
  const name = fc
    .array(fc.constantFrom('a', 'b', 'Ü', ''), { minLength: 1, maxLength: 14 })
    .map((parts) => parts.join('/') || '/');
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 12 }), (names) => {
      const tags = names.map((each, at) => ({ tag_no: at, tag_id: `t${at}`, name: each }));
      const levels = levelsOf(tags);
      expect(new Set(levels.map(({ name: level }) => level)).size).toBe(levels.length);
      for (const tag of tags) {
        const own = levels.find(({ name: level }) => level === tag.name);
        expect(own).toMatchObject({ tagId: tag.tag_id, tagNos: expect.arrayContaining([tag.tag_no]) });
        expect(levels.filter(({ tagNos }) => tagNos.includes(tag.tag_no)).length).toBeLessThanOrEqual(10);
      }
    }),
  );
});

test('the weak ETag stays while nothing but the time changes; lists have one, too', async () => {
  const id = await device('web');
  const tagOf = async (path: string) => (await one.send('GET', path)).headers.get('etag') ?? '';
  for (const path of ['/summary', '/devices', '/tags', '/events']) {
    const tag = await tagOf(path);
    expect([path, tag]).toEqual([path, expect.stringMatching(/^W\/"[0-9a-f]{16}"$/)]);
    const same = await one.send('GET', path, undefined, { headers: { 'If-None-Match': tag } });
    expect([path, same.status, same.text]).toEqual([path, 304, '']);
  }
  const before = await tagOf('/summary');
  await rest.clock.advance(5_000);
  expect(await tagOf('/summary')).toBe(before);
  await sql`update locations set online = true where account_no = ${one.accountNo}`.execute(rest.db.kysely);
  await set(id, 'Down');
  expect(await tagOf('/summary')).not.toBe(before);
});

test('what the parameter By does not know is refused', async () => {
  for (const by of ['Device', 'Tag,Path', 'tag'])
    expect((await one.send('GET', `/summary?By=${by}`)).json).toMatchObject({ code: 1004 });
});
