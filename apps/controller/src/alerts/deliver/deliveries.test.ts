import { newId, systemClock } from '@vantage/kernel';
import { type ReceivedRequest, startFakeReceiver } from '@vantage/testing/fake-receiver';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createChannels } from '../channels/channel-registry.ts';
import { createDeliveryFixture } from './testing/delivery-fixture.ts';

const soon = { timeout: 60_000, interval: 20 };
const body = z.object({ type: z.string(), timestamp: z.string(), data: z.object({ ShortName: z.string() }) });
const textOf = (request: ReceivedRequest) => body.parse(JSON.parse(request.body)).data.ShortName;

test('a notification is sent once, soon after the commit, and ends Delivered', async () => {
  await using fixture = await createDeliveryFixture();
  await using receiver = await startFakeReceiver();
  const contact = await fixture.webhook(receiver.url);
  await using _working = fixture.work();
  await fixture.add([contact, 'device:1', 'web']);
  await vi.waitFor(async () => expect((await fixture.states())[0]?.state).toBe('Delivered'), soon);
  expect(receiver.requests.map(textOf)).toEqual(['web']);
  expect(JSON.parse(receiver.requests[0]?.body ?? '')).toMatchObject({
    type: 'device.down',
    timestamp: '2026-11-18T11:06:40+00:00',
    data: { Since: '2026-11-18T11:06:40+00:00', URL: 'https://www.example.org/' },
  });
  expect(await fixture.states()).toEqual([
    { state: 'Delivered', attempts: 1, answer: 'HTTP 204 No Content', text: 'web' },
  ]);
});

test('an endpoint that is down for six hours gets every message, in order for each device, each under one id and with one body', async () => {
  await using fixture = await createDeliveryFixture({ scale: 10_000 });
  let isUp = false;
  await using receiver = await startFakeReceiver(
    (response) => void response.writeHead(isUp ? 200 : 503).end(),
  );
  const contact = await fixture.webhook(receiver.url);
  await using _working = fixture.work();
  const sent: string[] = [];
  const attemptsOf = (text: string) => receiver.requests.filter((request) => textOf(request) === text).length;
  // The waits of eleven attempts are 5 s, 30 s, 2 min, 10 min, 30 min and then five hours and more.
  for (let n = 1; n <= 11; n += 1) {
    const rows = [1, 2, 3].map((device) => [contact, `device:${device}`, `${device}/${n}`] as const);
    sent.push(...rows.map(([, , text]) => text));
    await fixture.add(...rows);
    await vi.waitFor(() => expect(attemptsOf('1/1')).toBeGreaterThanOrEqual(n), soon);
  }
  isUp = true;
  await vi.waitFor(async () => {
    expect((await fixture.states()).filter(({ state }) => state !== 'Delivered')).toEqual([]);
  }, soon);
  const ids = Map.groupBy(receiver.requests, textOf);
  expect([...ids.keys()].sort()).toEqual([...sent].sort());
  for (const of of ids.values()) {
    expect(new Set(of.map(({ id }) => id)).size).toBe(1);
    expect(new Set(of.map((request) => request.body)).size).toBe(1);
  }
  for (const device of ['1', '2', '3']) {
    const arrived = receiver.requests.map(textOf).filter((text) => text.startsWith(`${device}/`));
    expect([...new Set(arrived)]).toEqual(sent.filter((text) => text.startsWith(`${device}/`)));
  }
  expect(fixture.failed).toEqual([]);
});

test('a contact that does not answer delays no other contact', async () => {
  await using fixture = await createDeliveryFixture();
  await using dead = await startFakeReceiver(() => {});
  await using well = await startFakeReceiver();
  const [first, second] = [await fixture.webhook(dead.url), await fixture.webhook(well.url)];
  await using _working = fixture.work();
  await fixture.add(...Array.from({ length: 20 }, (_, n) => [first, `device:${n}`, 'dead'] as const));
  await vi.waitFor(() => expect(dead.requests).toHaveLength(4), soon);
  await fixture.add([second, 'device:1', 'well']);
  await vi.waitFor(() => expect(well.requests.map(textOf)).toEqual(['well']), soon);
  expect(dead.requests).toHaveLength(4);
});

test('one device that an endpoint refuses delays no other device of the contact', async () => {
  await using fixture = await createDeliveryFixture();
  await using receiver = await startFakeReceiver((response, request) =>
    response.writeHead(textOf(request) === 'bad' ? 500 : 200).end(),
  );
  const contact = await fixture.webhook(receiver.url);
  await using _working = fixture.work();
  await fixture.add(
    [contact, 'device:1', 'bad'],
    [contact, 'device:1', 'after'],
    [contact, 'device:2', 'other'],
  );
  const sent = () => receiver.requests.map(textOf);
  await vi.waitFor(() => expect(new Set(sent())).toEqual(new Set(['bad', 'other'])), soon);
  for (let no = 0; no < 5; no += 1) {
    await fixture.add([contact, 'device:2', `other ${no}`]);
    await vi.waitFor(() => expect(sent()).toContain(`other ${no}`), soon);
  }
  expect(sent()).not.toContain('after');
  // Released once, when the contact accepted another one: from then on it waits for its own time.
  expect(sent().filter((text) => text === 'bad').length).toBeLessThanOrEqual(2);
});

test('HTTP 410 fails the notification at once, reports it, and the next one of the device is tried', async () => {
  await using fixture = await createDeliveryFixture();
  await using receiver = await startFakeReceiver((response) => response.writeHead(410).end());
  const contact = await fixture.webhook(receiver.url);
  await using working = fixture.work();
  await fixture.add([contact, 'device:1', 'first'], [contact, 'device:1', 'second']);
  await vi.waitFor(() => expect(fixture.failed).toHaveLength(2), soon);
  await vi.waitFor(() => expect(working.counts.failed).toEqual({ webhook: 2 }), soon);
  expect({ ...working.counts.delivered, ...working.counts.again }).toEqual({});
  expect(receiver.requests.map(textOf)).toEqual(['first', 'second']);
  expect(fixture.failed[0]).toMatchObject({ contactNo: contact, alertNo: null, reason: 'HTTP 410 Gone' });
  const { rows } = await sql`select failed_us is not null as failed from contact_health`.execute(
    fixture.db.kysely,
  );
  expect(rows).toEqual([{ failed: true }]);
});

test('after a kill between send and record the message is sent again under the same id', async () => {
  await using fixture = await createDeliveryFixture();
  await using receiver = await startFakeReceiver();
  const contact = await fixture.webhook(receiver.url);
  await fixture.add([contact, 'device:1', 'web'], [contact, 'device:1', 'next']);
  // The first worker claims and sends, and never records: its answer finds the lease with another token.
  await sql`update notifications set attempts = 1, first_attempt_us = 1, lease_token = 'dead', lease_until_us = 0,
    message = jsonb_build_object('body', '{"type":"device.down","timestamp":"t","data":{"ShortName":"web"}}')
    where notification_no = (select min(notification_no) from notifications)`.execute(fixture.db.kysely);
  await using _working = fixture.work();
  await vi.waitFor(async () => expect((await fixture.states())[1]?.state).toBe('Delivered'), soon);
  expect(receiver.requests.map(textOf)).toEqual(['web', 'next']);
  expect(receiver.requests[0]?.body).toBe(
    '{"type":"device.down","timestamp":"t","data":{"ShortName":"web"}}',
  );
  expect(await fixture.states()).toMatchObject([{ attempts: 2 }, { attempts: 1 }]);
});

test('a lease of a time when the clock of the database was ahead holds back no message', async () => {
  await using fixture = await createDeliveryFixture();
  await using receiver = await startFakeReceiver();
  const contact = await fixture.webhook(receiver.url);
  await fixture.add([contact, 'device:1', 'web']);
  await sql`update notifications set lease_token = 'dead',
    lease_until_us = (extract(epoch from now()) * 1e6)::bigint + 86400000000`.execute(fixture.db.kysely);
  await using _working = fixture.work();
  await vi.waitFor(async () => expect((await fixture.states())[0]?.state).toBe('Delivered'), soon);
});

test('a message that cannot be composed fails and is reported, and the next one of the device is sent', async () => {
  await using fixture = await createDeliveryFixture();
  await using receiver = await startFakeReceiver();
  const contact = await fixture.webhook(receiver.url);
  const channels = createChannels({
    allowPrivate: true,
    smtpUrl: undefined,
    mailFrom: 'v@example.org',
  });
  const compose: typeof channels.webhook.compose = (notices, options) => {
    if (notices[0]?.data['ShortName'] === 'bad') throw new Error('a fact that no message can show');
    return channels.webhook.compose(notices, options);
  };
  await fixture.add([contact, 'device:1', 'bad'], [contact, 'device:1', 'next']);
  await using _working = fixture.work({
    channels: { ...channels, webhook: { ...channels.webhook, compose } },
  });
  await vi.waitFor(() => expect(receiver.requests.map(textOf)).toEqual(['next']), soon);
  expect(await fixture.states()).toMatchObject([
    { state: 'Failed', attempts: 0, answer: 'the message cannot be composed' },
    {},
  ]);
  expect(fixture.failed).toMatchObject([{ contactNo: contact, reason: 'the message cannot be composed' }]);
});

test('notifications of a contact that was deleted are withdrawn', async () => {
  await using fixture = await createDeliveryFixture();
  await using _working = fixture.work();
  await fixture.add([999, 'device:1', 'web']);
  await vi.waitFor(async () => expect((await fixture.states())[0]?.state).toBe('Withdrawn'), soon);
});

test('at a stop an attempt in mid-air is interrupted, and another controller sends it at once', async () => {
  await using fixture = await createDeliveryFixture();
  let isUp = false;
  await using receiver = await startFakeReceiver((response) => void (isUp && response.writeHead(200).end()));
  const contact = await fixture.webhook(receiver.url);
  await fixture.add([contact, 'device:1', 'web']);
  const first = fixture.work();
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(1), soon);
  await first[Symbol.asyncDispose]();
  expect(await fixture.states()).toMatchObject([{ state: 'Pending', attempts: 1 }]);
  isUp = true;
  await using _working = fixture.work();
  await vi.waitFor(async () => expect((await fixture.states())[0]?.state).toBe('Delivered'), soon);
  expect(new Set(receiver.requests.map(({ id }) => id)).size).toBe(1);
});

test.each([
  ['so that an attempt and its answer fit into the lease', 28_000, ['web']],
  ['so that they may not', 28_001, []],
])('a process that was stopped after a claim, %s', async (_what, stoppedMs, sent) => {
  await using fixture = await createDeliveryFixture();
  await using receiver = await startFakeReceiver();
  const contact = await fixture.webhook(receiver.url);
  await fixture.add([contact, 'device:1', 'web']);
  let nowMs = 0;
  const newToken = () => {
    nowMs += stoppedMs;
    return newId();
  };
  await using working = fixture.work({ newToken, clock: { ...systemClock, monoMs: () => nowMs } });
  await vi.waitFor(async () => expect((await fixture.states())[0]?.attempts).toBe(1), soon);
  await vi.waitFor(() => expect(working.running).toBe(0), soon);
  expect(receiver.requests.map(textOf)).toEqual(sent);
});

test('an answer that cannot be recorded is recorded later, until its lease ends, and the message is sent once', async () => {
  await using fixture = await createDeliveryFixture();
  await using receiver = await startFakeReceiver((response) => response.writeHead(410).end());
  const contact = await fixture.webhook(receiver.url);
  for (const [failures, state] of [[3, 'Failed'] as const, [Number.POSITIVE_INFINITY, 'Pending'] as const]) {
    let tries = 0;
    const onFailed = async () => {
      tries += 1;
      if (tries <= failures) throw new Error('the database is away');
    };
    let nowMs = 0;
    // The short pauses between rounds of the sender take no time here.
    const sleep = async (ms: number) => {
      if (ms >= 500) nowMs += ms;
    };
    await fixture.add([contact, 'device:1', `${state}`]);
    await using working = fixture.work({ onFailed, clock: { ...systemClock, sleep, monoMs: () => nowMs } });
    await vi.waitFor(async () => expect((await fixture.states()).at(-1)?.attempts).toBe(1), soon);
    await vi.waitFor(() => expect(working.running).toBe(0), soon);
    expect((await fixture.states()).at(-1)?.state).toBe(state);
    // Each half second of the lease's 40 s, both ends included, and once after it.
    expect(tries).toBe(Math.min(failures + 1, 82));
  }
  expect(receiver.requests.map(textOf)).toEqual(['Failed', 'Pending']);
});

test('a round counts where nothing is due or something could be claimed', async () => {
  await using fixture = await createDeliveryFixture();
  await using receiver = await startFakeReceiver();
  const contact = await fixture.webhook(receiver.url);
  {
    await using idle = fixture.work();
    await vi.waitFor(() => expect(idle.rounds).toBeGreaterThan(0), soon);
  }
  await fixture.add([contact, 'device:1', 'web']);
  let tokens = 0;
  const newToken = () => {
    tokens += 1;
    if (tokens <= 3) throw new Error('damaged');
    expect(working.rounds).toBe(0);
    return newId();
  };
  await using working = fixture.work({ newToken });
  await vi.waitFor(() => expect(working.rounds).toBeGreaterThan(0), soon);
  expect(tokens).toBe(4);
});

test('a notice that comes while a round goes on begins the next round at once', async () => {
  await using fixture = await createDeliveryFixture();
  await using receiver = await startFakeReceiver();
  const [bad, good] = [await fixture.webhook('no URL'), await fixture.webhook(receiver.url)];
  const channels = createChannels({ allowPrivate: true, smtpUrl: undefined, mailFrom: 'v@example.org' });
  const compose: typeof channels.webhook.compose = (notices, options) => {
    if (notices[0]?.data['ShortName'] === 'bad') throw new Error('a fact that no message can show');
    return channels.webhook.compose(notices, options);
  };
  const notice = Promise.withResolvers<void>();
  // In the round, whose due contacts are known already.
  const onFailed = async () => {
    await fixture.add([good, 'device:2', 'good']);
    await notice.promise;
  };
  await fixture.add([bad, 'device:1', 'bad']);
  await using _working = fixture.work({
    onFailed,
    channels: { ...channels, webhook: { ...channels.webhook, compose } },
    // Nobody looks by himself for an hour.
    timeScale: (length) => (length === 1_000 ? 3_600_000 : length),
  });
  await using _listening = await fixture.db.subscribe('notifications', (heard) => {
    if (heard?.contact_nos.includes(good)) notice.resolve();
  });
  await vi.waitFor(() => expect(receiver.requests.map(textOf)).toEqual(['good']), soon);
});
