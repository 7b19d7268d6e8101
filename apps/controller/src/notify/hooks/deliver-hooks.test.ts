import { createLog, newId, systemClock } from '@vantage/kernel';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type Rest, startRest } from '../../api/testing/rest.ts';
import { createEventFeed, createEventSource } from '../../history/index.ts';
import { createWebhook } from '../channels/webhook.ts';
import { type Sink, startSink } from '../testing/sink.ts';
import { runHooks } from './deliver-hooks.ts';

const Secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const soon = { timeout: 30_000, interval: 50 };
let rest: Rest;
let feed: ReturnType<typeof createEventFeed>;
const log = createLog('hooks', 'silent');

beforeAll(async () => {
  rest = await startRest({ settings: { allowPrivateWebhooks: true } });
  feed = createEventFeed({ db: rest.db, clock: systemClock, log });
});
afterAll(async () => {
  await feed[Symbol.asyncDispose]();
  await rest[Symbol.asyncDispose]();
});

/** Runs the deliveries of one controller until it is disposed of. */
function startWorker(): AsyncDisposable {
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

async function account(sink: Sink, more: object = {}) {
  const { accountNo } = await rest.account(newId().slice(0, 12));
  const { key } = await rest.key(accountNo, 'UW');
  const send = (method: string, path: string, body?: object) =>
    rest.send(method, path, { key, ...(body === undefined ? {} : { body }) });
  const idOf = async (path: string, body: object) => {
    const { json, text } = await send('POST', path, body);
    const [id] = Object.values(z.record(z.string(), z.string()).parse(json, { error: () => text }));
    return id ?? '';
  };
  const hookId = await idOf('/hooks', { Name: 'all', Address: sink.url, Secret, ...more });
  const hook = async () =>
    z.record(z.string(), z.unknown()).parse((await send('GET', `/hooks/${hookId}`)).json);
  const device = (name: string, extra: object = {}) =>
    idOf('/devices', { Method: 'TCP', URL: 'example.org:1', ShortName: name, ...extra });
  return { send, hookId, hook, device };
}

const bodiesOf = (sink: Sink) =>
  sink.requests.map(({ body }) =>
    z
      .object({
        type: z.string(),
        data: z.object({ event_id: z.string(), ShortName: z.string().nullable() }),
      })
      .parse(JSON.parse(body)),
  );

test('every event is posted once, signed, as GET /events shows it', async () => {
  await using sink = await startSink();
  const { device, send, hook } = await account(sink);
  await using _worker = startWorker();
  await using _second = startWorker();
  const names = Array.from({ length: 20 }, (_, i) => `d${i}`);
  for (const name of names) await device(name);
  await vi.waitFor(() => expect(sink.requests.length).toBeGreaterThanOrEqual(20), soon);
  const listed = z.array(z.object({ event_id: z.string() })).parse((await send('GET', '/events')).json);
  for (const { headers, body, id } of sink.requests) {
    const sent = new Webhook(Secret).verify(body, { ...headers });
    expect(sent).toMatchObject({
      type: 'event.Created',
      data: listed.find(({ event_id }) => event_id === id),
    });
  }
  expect(new Set(sink.requests.map(({ id }) => id)).size).toBe(20);
  expect(sink.requests).toHaveLength(20);
  await vi.waitFor(async () => expect((await hook())['LastDelivered']).not.toBeNull(), soon);
  expect(await hook()).toMatchObject({ FailingSince: null, LastAnswer: 'HTTP 204 No Content', GivenUp: 0 });
});

test('a hook gets its types of events, and those of devices with its tag, only', async () => {
  await using sink = await startSink();
  const { device, send, hookId } = await account(sink);
  expect((await send('POST', '/tags', { Name: 'shop' })).status).toBe(200);
  const put = await send('PUT', `/hooks/${hookId}`, { Events: ['Created'], Tag: 'shop' });
  expect(put.json).toMatchObject({ Events: ['Created'], Tag: { Name: 'shop' } });
  await using _worker = startWorker();
  await device('outside');
  const inside = await device('inside', { Tags: ['shop'] });
  await send('PUT', `/devices/${inside}`, { Timeout: 9 });
  await device('last', { Tags: ['shop'] });
  await vi.waitFor(() => expect(sink.requests).toHaveLength(2), soon);
  expect(bodiesOf(sink).map(({ data }) => data.ShortName)).toEqual(['inside', 'last']);
  const refused = await send('DELETE', '/tags/shop');
  expect(refused.json).toMatchObject({ code: 1003 });
  const [tag] = z.array(z.object({ tag_id: z.string() })).parse((await send('GET', '/tags')).json);
  expect((await send('DELETE', `/tags/${tag?.tag_id}`)).json).toMatchObject({
    code: 1005,
    message: 'Tag shop cannot be deleted while these use it: hook all.',
  });
});

test('what is not accepted comes again with the same id, also to the next controller, and nothing is lost', async () => {
  let isBroken = true;
  await using sink = await startSink((response) => void response.writeHead(isBroken ? 500 : 200).end());
  const { device, hook } = await account(sink);
  {
    await using _worker = startWorker();
    for (let i = 0; i < 12; i += 1) await device(`d${i}`);
    await vi.waitFor(async () => expect((await hook())['FailingSince']).not.toBeNull(), soon);
  }
  const failed = new Set(sink.requests.map(({ id }) => id));
  isBroken = false;
  const from = sink.requests.length;
  await using _worker = startWorker();
  await vi.waitFor(async () => {
    const ids = new Set(sink.requests.slice(from).map(({ id }) => id));
    expect(ids.size).toBe(12);
    expect([...failed].every((id) => ids.has(id))).toBe(true);
  }, soon);
  await vi.waitFor(async () => expect((await hook())['FailingSince']).toBeNull(), soon);
});
