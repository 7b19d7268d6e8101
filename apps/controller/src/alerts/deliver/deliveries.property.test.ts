import { createSteppedClock, propertyRuns } from '@vantage/kernel/testing';
import { startFakeMailServer } from '@vantage/testing/fake-mail-server';
import { type FakeReceiver, type ReceivedRequest, startFakeReceiver } from '@vantage/testing/fake-receiver';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createChannels } from '../channels/channel-registry.ts';
import { createDeliveryFixture, type DeliveryFixture } from './testing/delivery-fixture.ts';

const soon = { timeout: 60_000, interval: 20 };
const body = z.object({ data: z.object({ ShortName: z.string() }) });
const textOf = (request: ReceivedRequest) => body.parse(JSON.parse(request.body)).data.ShortName;

let fixture: DeliveryFixture;
let receiver: FakeReceiver;
/** The endpoint's answers to the next requests; then 200. */
let answers: (200 | 500 | 429 | 'reset')[] = [];
beforeAll(async () => {
  fixture = await createDeliveryFixture({ scale: 10_000 });
  receiver = await startFakeReceiver((response) => {
    const answer = answers.shift() ?? 200;
    if (answer === 'reset') response.socket?.resetAndDestroy();
    else response.writeHead(answer, answer === 429 ? { 'Retry-After': '1' } : {}).end();
  });
});
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  await fixture[Symbol.asyncDispose]();
});

test('two controllers deliver whatever is stored at least once, under one id each, in order for each device', async () => {
  const contact = await fixture.webhook(receiver.url);
  await using _first = fixture.work();
  await using _second = fixture.work();
  let run = 0;
  const plan = fc.record({
    rows: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 12 }),
    failures: fc.array(fc.constantFrom(500 as const, 429 as const, 'reset' as const), { maxLength: 8 }),
  });
  const property = fc.asyncProperty(plan, async ({ rows, failures }) => {
    run += 1;
    answers = [...failures];
    const from = receiver.requests.length;
    const sent = rows.map((device, n) => [contact, `device:${device}`, `${run}/${device}/${n}`] as const);
    await fixture.add(...sent.slice(0, 5));
    await fixture.add(...sent.slice(5));
    await vi.waitFor(async () => {
      const states = await fixture.states();
      expect(states.every(({ state }) => state === 'Delivered')).toBe(true);
    }, soon);
    const got = receiver.requests.slice(from);
    for (const device of [1, 2, 3]) {
      const wanted = sent.map(([, , text]) => text).filter((text) => text.startsWith(`${run}/${device}/`));
      const arrived = got.map(textOf).filter((text) => text.startsWith(`${run}/${device}/`));
      expect([...new Set(arrived)]).toEqual(wanted);
    }
    const ids = Map.groupBy(got, textOf);
    for (const of of ids.values()) expect(new Set(of.map(({ id }) => id)).size).toBe(1);
    expect(got.length).toBe(rows.length + failures.length - answers.length);
  });
  await fc.assert(property, { numRuns: propertyRuns(12) });
}, 240_000);

test('of 40 e-mails within a minute five arrive singly and the others in one that names each, none twice', async () => {
  await using mails = await startFakeMailServer();
  await using other = await createDeliveryFixture();
  const contact = await other.email('noc@example.org');
  const names = Array.from({ length: 40 }, (_, n) => `device-${n}.`);
  await other.add(...names.map((name, n) => [contact, `device:${n % 20}`, name] as const));
  const clock = createSteppedClock();
  await using _working = other.work({
    clock,
    channels: createChannels({ allowPrivate: true, smtpUrl: mails.url, mailFrom: 'v@example.org' }),
  });
  await vi.waitFor(() => expect(mails.messages).toHaveLength(5), soon);
  clock.step(60_000);
  await vi.waitFor(async () => {
    expect((await other.states()).every(({ state }) => state === 'Delivered')).toBe(true);
  }, soon);
  expect(mails.messages).toHaveLength(6);
  const texts = mails.messages.map(({ data }) => data.replaceAll('=\r\n', ''));
  for (const name of names) expect(texts.filter((text) => text.includes(name))).toHaveLength(1);
  expect(texts.at(-1)).toContain('35 messages');
});
