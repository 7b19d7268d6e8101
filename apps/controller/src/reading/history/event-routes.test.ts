import { newId } from '@vantage/kernel';
import { createFixtures } from '@vantage/testing/fixtures';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';
import { type EventReader, openEvents } from './testing/event-reader.ts';

let rest: RestFixture;
let account: { readonly accountNo: number; readonly locationNo: number };
let key: string;
let device: { readonly device_id: string; readonly short_name: string };
/** Filters, and the messages of the events that pass them. */
let filters: readonly (readonly [filter: string, messages: readonly string[]])[];
const readers: EventReader[] = [];

beforeAll(async () => {
  rest = await createRestFixture();
  account = await rest.account('one');
  ({ key } = await rest.key(account.accountNo, 'UR'));
});
afterAll(async () => {
  for (const reader of readers) reader.leave();
  await rest[Symbol.asyncDispose]();
});

const record = (message: string, type: string, deviceNo: number | null, locationNo: number | null) =>
  rest.db.kysely
    .insertInto('events')
    .values({
      account_no: account.accountNo,
      at_us: rest.clock.nowUs(),
      recorded_us: rest.clock.nowUs(),
      event_id: newId(),
      type,
      status: 'Up',
      message,
      device_no: deviceNo,
      location_no: locationNo,
    })
    .execute();

/** Turns the clock on until something holds; the test's own time limit is the bound. */
const until = async (holds: () => boolean) => {
  while (!holds()) {
    await rest.clock.advance(100);
    await new Promise(setImmediate);
  }
};

/** A device with the tag `rack` and another one. */
async function createDevices(): Promise<{
  readonly tagged: number;
  readonly other: number;
  readonly tagId: string;
}> {
  const rows = createFixtures(rest.db.kysely);
  const { accountNo, locationNo } = account;
  const tagged = await rows.device(accountNo, [locationNo]);
  const other = await rows.device(accountNo, [locationNo]);
  device = await rest.db.kysely
    .selectFrom('devices')
    .select(['device_id', 'short_name'])
    .where('device_no', '=', tagged)
    .executeTakeFirstOrThrow();
  const tag = await rest.db.kysely
    .insertInto('tags')
    .values({ tag_id: newId(), account_no: accountNo, name: 'rack' })
    .returning(['tag_no', 'tag_id'])
    .executeTakeFirstOrThrow();
  await rest.db.kysely.insertInto('device_tags').values({ tag_no: tag.tag_no, device_no: tagged }).execute();
  return { tagged, other, tagId: tag.tag_id };
}

test('a stream obeys Type, Location, Device and Tag', async () => {
  const { tagged, other, tagId } = await createDevices();
  filters = [
    ['', ['down of the other', 'up of the tagged', 'down of the tagged', 'of the Location']],
    ['&Type=Down', ['down of the other', 'down of the tagged']],
    ['&Location=local', ['up of the tagged', 'of the Location']],
    [`&Device=${device.device_id}`, ['up of the tagged', 'down of the tagged']],
    ['&Tag=rack', ['up of the tagged', 'down of the tagged']],
    [`&Tag=${tagId}&Type=Up`, ['up of the tagged']],
  ];
  for (const [filter] of filters)
    readers.push(await openEvents(`${rest.baseUrl}/events?stream${filter}`, { 'Service-API-Key': key }));
  await until(() => readers.every(({ text }) => text.startsWith('retry: ')));
  await record('down of the other', 'Down', other, null);
  await record('up of the tagged', 'Up', tagged, account.locationNo);
  await record('down of the tagged', 'Down', tagged, null);
  await record('of the Location', 'LocationOnline', null, account.locationNo);
  const beats = () => readers.map(({ text }) => text.split('\n\n').filter((block) => block === ':').length);
  await until(() => readers[0]?.events().length === 4);
  const before = beats();
  await until(() => beats().every((count, at) => count > (before[at] ?? 0)));
  const messages = readers.map((reader) => reader.events().map(({ Message }) => Message));
  expect(messages).toEqual(filters.map(([, expected]) => expected));
});

test('a list obeys the same, and names the device', async () => {
  const rows = z.array(z.object({ Message: z.string() }));
  for (const [filter, expected] of filters) {
    const { json } = await rest.send('GET', `/events?Limit=100${filter}`, { key });
    expect(rows.parse(json).map(({ Message }) => Message)).toEqual(expected.toReversed());
  }
  const { json } = await rest.send('GET', `/events?Device=${device.device_id}&Limit=1`, { key });
  expect(json).toMatchObject([
    { device_id: device.device_id, ShortName: device.short_name, FullName: null, location_id: null },
  ]);
});

test.each([
  ['&Before=x', 1004],
  ['&Offset=1', 1004],
  ['&Limit=5', 1004],
  ['&Timestamp=2026-01-01T00:00:00Z', 1004],
  ['&Type=Nothing', 1004],
  [`&Device=${newId()}`, 1003],
  ['&Tag=nothing', 1003],
  ['&Location=nowhere', 1003],
])('a stream with %s is refused with %i', async (query, code) => {
  expect((await rest.send('GET', `/events?stream${query}`, { key })).json).toMatchObject({ code });
});

test('a deleted device has a last event with its names, in lists, streams, and for callers limited to its tags', async () => {
  const { key: writer } = await rest.key(account.accountNo, 'UW');
  const body = {
    Method: 'TCP',
    URL: 'db.example.com:5432',
    FullName: 'Database',
    Tags: ['rack'],
    ShortName: 'db',
  };
  const { device_id: id } = z
    .object({ device_id: z.string() })
    .parse((await rest.send('POST', '/devices', { key: writer, body })).json);
  const { tag_no } = await rest.db.kysely
    .selectFrom('tags')
    .select('tag_no')
    .where('name', '=', 'rack')
    .executeTakeFirstOrThrow();
  const limited = await rest.key(account.accountNo, 'UR');
  await rest.db.kysely
    .updateTable('api_keys')
    .set({ tag_nos: [tag_no] })
    .where('key_no', '=', limited.keyNo)
    .execute();
  const streams = await Promise.all(
    [
      [`&Device=${id}`, key],
      ['&Tag=rack', key],
      ['&Type=Deleted', limited.key],
    ].map(([filter, own = '']) =>
      openEvents(`${rest.baseUrl}/events?stream${filter}`, { 'Service-API-Key': own }),
    ),
  );
  readers.push(...streams);
  await until(() => streams.every(({ text }) => text.startsWith('retry: ')));
  expect((await rest.send('DELETE', `/devices/${id}`, { key: writer })).status).toBe(200);
  await until(() => streams.every((reader) => reader.events().length === 1));
  const deleted = {
    device_id: id,
    ShortName: 'db',
    FullName: 'Database',
    Type: 'Deleted',
    Status: 'Unknown',
    Message: 'db was deleted',
  };
  for (const reader of streams)
    expect(JSON.parse(/^data: (.*)$/m.exec(reader.text)?.[1] ?? '')).toMatchObject(deleted);
  for (const filter of ['', `&Device=${id}`, '&Tag=rack', '&Type=Created,Deleted'])
    expect((await rest.send('GET', `/events?Limit=1${filter}`, { key })).json).toMatchObject([deleted]);
  const after = { 'Last-Event-ID': streams[0]?.events()[0]?.id ?? '', 'Service-API-Key': key };
  const again = await openEvents(`${rest.baseUrl}/events?stream&Device=${id}`, after);
  readers.push(again);
  expect(again.type).toBe('text/event-stream; charset=utf-8');
});

test('devices that are deleted together have an event each', async () => {
  const { key: writer } = await rest.key(account.accountNo, 'UW');
  const body = { Method: 'TCP', URL: 'db.example.com:5432', Tags: ['rack'] };
  for (const ShortName of ['a', 'b'])
    await rest.send('POST', '/devices', { key: writer, body: { ...body, ShortName } });
  const change = { Filter: { Method: 'TCP', Tag: 'rack' }, Delete: true };
  const send = (more: object) =>
    rest.send('POST', '/devices/change', { key: writer, body: { ...change, ...more } });
  const { Token } = z.object({ Token: z.string() }).parse((await send({ Preview: true })).json);
  expect((await send({ Token })).status).toBe(200);
  expect((await rest.send('GET', '/events?Type=Deleted&Limit=2', { key })).json).toMatchObject([
    { ShortName: 'b' },
    { ShortName: 'a' },
  ]);
});
