import { createLog, newId, systemClock } from '@vantage/kernel';
import { type FakeReceiver, startFakeReceiver } from '@vantage/testing/fake-receiver';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createEventFeed, createEventSource } from '../../../reading/history/index.ts';
import { createRestFixture, type RestFixture } from '../../../testing/rest-fixture.ts';
import type { Channel } from '../../channels/channel.ts';
import { createWebhook } from '../../channels/webhook.ts';
import { createAccountsBehind } from '../accounts-behind.ts';
import { type HookDeps, runHooks } from './deliver-hooks.ts';
import { dueHooks, leaseHook, recordProgress } from './hook-progress-store.ts';

const Secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const soon = { timeout: 60_000, interval: 50 };
let rest: RestFixture;
let feed: ReturnType<typeof createEventFeed>;
const log = createLog('hooks', 'silent');

beforeAll(async () => {
  rest = await createRestFixture({ environment: { allowPrivateWebhooks: true } });
  feed = createEventFeed({ db: rest.db, clock: systemClock, log });
});
afterAll(async () => {
  await feed[Symbol.asyncDispose]();
  await rest[Symbol.asyncDispose]();
});

/** Runs the deliveries of one controller until it is disposed of. */
function startWorker(own: Partial<HookDeps> = {}): AsyncDisposable {
  const ending = new AbortController();
  const done = runHooks(
    {
      db: rest.db,
      clock: systemClock,
      log,
      sealer: rest.sealer,
      mayGiveUp: () => true,
      channel: createWebhook({ allowPrivate: true }),
      events: createEventSource(rest.db, feed),
      timeScale: (time) => time / 100,
      ...own,
    },
    ending.signal,
  );
  return {
    async [Symbol.asyncDispose]() {
      ending.abort(new Error('the test ends'));
      await done;
    },
  };
}

async function account(receiver: FakeReceiver, more: object = {}) {
  const { accountNo } = await rest.account(newId().slice(0, 12));
  const { key } = await rest.key(accountNo, 'UW');
  const send = (method: string, path: string, body?: object) =>
    rest.send(method, path, { key, ...(body === undefined ? {} : { body }) });
  const idOf = async (path: string, body: object) => {
    const { json, text } = await send('POST', path, body);
    const [id] = Object.values(z.record(z.string(), z.string()).parse(json, { error: () => text }));
    return id ?? '';
  };
  const hookId = await idOf('/hooks', { Name: 'all', Address: receiver.url, Secret, ...more });
  const hook = async () =>
    z.record(z.string(), z.unknown()).parse((await send('GET', `/hooks/${hookId}`)).json);
  const device = (name: string, extra: object = {}) =>
    idOf('/devices', { Method: 'TCP', URL: 'example.org:1', ShortName: name, ...extra });
  return { accountNo, send, hookId, hook, device };
}

const bodiesOf = (receiver: FakeReceiver) =>
  receiver.requests.map(({ body }) =>
    z
      .object({
        type: z.string(),
        data: z.object({ event_id: z.string(), ShortName: z.string().nullable() }),
      })
      .parse(JSON.parse(body)),
  );

test('every event is posted once, signed, as GET /events shows it', async () => {
  await using receiver = await startFakeReceiver();
  const { device, send, hook } = await account(receiver);
  await using _worker = startWorker();
  await using _second = startWorker();
  const names = Array.from({ length: 20 }, (_, i) => `d${i}`);
  for (const name of names) await device(name);
  await vi.waitFor(() => expect(receiver.requests.length).toBeGreaterThanOrEqual(20), soon);
  const listed = z.array(z.object({ event_id: z.string() })).parse((await send('GET', '/events')).json);
  for (const { headers, body, id } of receiver.requests) {
    const sent = new Webhook(Secret).verify(body, { ...headers });
    expect(sent).toMatchObject({
      type: 'event.Created',
      data: listed.find(({ event_id }) => event_id === id),
    });
  }
  expect(new Set(receiver.requests.map(({ id }) => id)).size).toBe(20);
  expect(receiver.requests).toHaveLength(20);
  await vi.waitFor(async () => expect((await hook())['LastDelivered']).not.toBeNull(), soon);
  expect(await hook()).toMatchObject({ FailingSince: null, LastAnswer: 'HTTP 204 No Content', GivenUp: 0 });
});

test('a hook gets its types of events, and those of devices with its tag, only', async () => {
  await using receiver = await startFakeReceiver();
  const { device, send, hookId } = await account(receiver);
  expect((await send('POST', '/tags', { Name: 'shop' })).status).toBe(200);
  const put = await send('PUT', `/hooks/${hookId}`, { Events: ['Created'], Tag: 'shop' });
  expect(put.json).toMatchObject({ Events: ['Created'], Tag: { Name: 'shop' } });
  await using _worker = startWorker();
  await device('outside');
  const inside = await device('inside', { Tags: ['shop'] });
  await send('PUT', `/devices/${inside}`, { Timeout: 9 });
  await device('last', { Tags: ['shop'] });
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(2), soon);
  expect(bodiesOf(receiver).map(({ data }) => data.ShortName)).toEqual(['inside', 'last']);
  const refused = await send('DELETE', '/tags/shop');
  expect(refused.json).toMatchObject({ code: 1003 });
  const [tag] = z.array(z.object({ tag_id: z.string() })).parse((await send('GET', '/tags')).json);
  expect((await send('DELETE', `/tags/${tag?.tag_id}`)).json).toMatchObject({
    code: 1005,
    message: 'Tag shop cannot be deleted while these use it: hook all.',
  });
});

test('a hook with a tag gets the deletion of a device that had it', async () => {
  await using receiver = await startFakeReceiver();
  const { device, send, hookId } = await account(receiver);
  await send('POST', '/tags', { Name: 'shop' });
  await send('PUT', `/hooks/${hookId}`, { Events: ['Deleted'], Tag: 'shop' });
  await using _worker = startWorker();
  const [outside, inside] = [await device('outside'), await device('inside', { Tags: ['shop'] })];
  for (const id of [outside, inside]) expect((await send('DELETE', `/devices/${id}`)).status).toBe(200);
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(1), soon);
  expect(bodiesOf(receiver)).toMatchObject([{ type: 'event.Deleted', data: { ShortName: 'inside' } }]);
});

test('what is not accepted comes again with the same id, also to the next controller, and nothing is lost', async () => {
  let isBroken = true;
  await using receiver = await startFakeReceiver(
    (response) => void response.writeHead(isBroken ? 500 : 200).end(),
  );
  const { device, hook } = await account(receiver);
  const lines: string[] = [];
  const line = (_data: object, text: string) => void lines.push(text);
  const heard = Object.assign(createLog('hooks', 'silent'), { info: line, warn: line, error: line });
  {
    await using _worker = startWorker({ log: heard });
    for (let i = 0; i < 12; i += 1) await device(`d${i}`);
    await vi.waitFor(async () => expect((await hook())['FailingSince']).not.toBeNull(), soon);
  }
  const failed = new Set(receiver.requests.map(({ id }) => id));
  isBroken = false;
  const from = receiver.requests.length;
  await using _worker = startWorker({ log: heard });
  await vi.waitFor(async () => {
    const ids = new Set(receiver.requests.slice(from).map(({ id }) => id));
    expect(ids.size).toBe(12);
    expect([...failed].every((id) => ids.has(id))).toBe(true);
  }, soon);
  await vi.waitFor(async () => expect((await hook())['FailingSince']).toBeNull(), soon);
  await device('after');
  await vi.waitFor(() => expect(bodiesOf(receiver).at(-1)?.data.ShortName).toBe('after'), soon);
  expect(lines).toEqual(['a hook does not accept events; trying again', 'a hook accepts events again']);
});

test('eight events leave at once while they are accepted, one while they are not', async () => {
  await using receiver = await startFakeReceiver();
  const { device, hook } = await account(receiver);
  for (let i = 0; i < 12; i += 1) await device(`e${i}`);
  const rounds: number[] = [];
  let size = 0;
  // All events of a round are sent in one turn.
  const send: Channel['send'] = async ({ message }) => {
    // Hooks of other tests may have events left.
    if (!JSON.stringify(message).includes('ShortName\\":\\"e'))
      return { kind: 'delivered', text: 'HTTP 200' };
    if (size === 0)
      setImmediate(() => {
        rounds.push(size);
        size = 0;
      });
    size += 1;
    const isBroken = rounds.length < 3;
    return isBroken ? { kind: 'again', text: 'HTTP 500' } : { kind: 'delivered', text: 'HTTP 200' };
  };
  await using _worker = startWorker({ channel: { ...createWebhook({ allowPrivate: true }), send } });
  await vi.waitFor(async () => expect((await hook())['LastDelivered']).not.toBeNull(), soon);
  await vi.waitFor(
    () => expect(rounds.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(22),
    soon,
  );
  expect(rounds).toEqual([8, 1, 1, 1, 8, 3]);
});

test('a worker whose lease another one has changes nothing', async () => {
  await using receiver = await startFakeReceiver();
  const { accountNo } = await account(receiver);
  const ask = {
    accountNos: [accountNo],
    upToNo: Number.MAX_SAFE_INTEGER,
    nowUs: systemClock.nowUs(),
  };
  const due = () => dueHooks(rest.db.kysely, { ...ask, taken: { full: [], slow: [] }, limit: 10 });
  const [{ hookNo } = { hookNo: 0 }] = await due();
  const lease = (token: string) => leaseHook(rest.db.kysely, { ...ask, hookNo, token });
  expect(await lease('first')).toMatchObject({ hook_no: hookNo });
  expect([await lease('second'), await due()]).toEqual([undefined, []]);
  const progress = {
    after_no: 7,
    attempts: 0,
    first_attempt_us: null,
    due_us: 0,
    failing_since_us: null,
    delivered_us: undefined,
    last_answer: undefined,
    givenUp: 0,
  };
  const record = (token: string) => recordProgress(rest.db.kysely, { hookNo, token }, progress);
  expect([await record('second'), await record('first'), await record('first')]).toEqual([
    false,
    true,
    false,
  ]);
});

test('events are asked for only where further ones are readable', async () => {
  await using receiver = await startFakeReceiver();
  const { accountNo } = await account(receiver);
  let upTo = 5;
  const asked: unknown[] = [];
  using behind = createAccountsBehind({
    clock: systemClock,
    readAccounts: async () => new Set([accountNo]),
    // Their hooks have all events.
    stillBehind: async () => [],
    events: {
      follow: async () => ({
        get upTo() {
          return upTo;
        },
        [Symbol.dispose]() {},
      }),
      accountsBetween: async (...range) => {
        asked.push(range);
        return new Set([accountNo]);
      },
    },
  });
  // Nobody knows of new accounts whether they are behind.
  expect((await behind.read())?.accountNos).toContain(accountNo);
  await behind.forgetDone({ accountNos: [accountNo], upToNo: 0 });
  expect((await behind.read())?.accountNos).not.toContain(accountNo);
  expect(asked).toEqual([]);
  upTo = 7;
  expect(await behind.read()).toEqual({ accountNos: expect.arrayContaining([accountNo]), upToNo: 7 });
  expect(asked).toEqual([[5, 7, undefined]]);
});
