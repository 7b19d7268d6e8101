import { readFile } from 'node:fs/promises';
import { contactTypeNames } from '@vantage/alerts';
import { newId, systemClock } from '@vantage/kernel';
import { sealContact } from '@vantage/storage/secrets/sealed-contact';
import { startFakeReceiver } from '@vantage/testing/fake-receiver';
import { createFixtures } from '@vantage/testing/fixtures';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { createChannels } from '../channels/channel-registry.ts';
import { enqueue } from './enqueue.ts';
import { answeredBy, replyOf } from './message-reply.ts';
import { createDeliveryFixture } from './testing/delivery-fixture.ts';
import { sampleNotification } from './testing/sample.ts';

const settings = { allowPrivate: true, smtpUrl: undefined, mailFrom: 'vantage@example.org' };

test('property: a message answers another only where that one is the first of all its alerts', () => {
  const alert = fc.option(fc.integer({ min: 1, max: 4 }), { freq: 5 });
  const first = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom('a', 'b'));
  fc.assert(
    fc.property(fc.array(alert, { minLength: 1, maxLength: 4 }), fc.array(first), (alerts, pairs) => {
      const firsts = new Map(pairs);
      const isOfAll = (name: string) => alerts.every((no) => no !== null && firsts.get(no) === name);
      expect(answeredBy(alerts, firsts)).toBe(['a', 'b'].find(isOfAll) ?? null);
    }),
    { numRuns: 500 },
  );
});

test('the channels that reply are those of docs/contacts.md', async () => {
  const page = await readFile(new URL('../../../../../docs/contacts.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('## Replies in chats');
  const [table = ''] = section.split('\nA message of several');
  const named = [...table.matchAll(/^\| `([a-z]+)` \| (?:is|ends)/gm)].map(([, type = '']) => type);
  const channels = createChannels(settings);
  const replying = contactTypeNames.filter((type) => channels[type].canReply);
  expect(new Set(replying)).toEqual(new Set(named));
});

test('a message that waits while its contact is edited replies to nothing then', () => {
  const message = { text: 'web is Up', reply: { to: '11', contactUs: 5 } };
  expect(replyOf(message, { updated_us: 5 })).toBe('11');
  expect(replyOf(message, { updated_us: 6 })).toBe(null);
  expect(replyOf({ text: 'web is Up' }, { updated_us: 5 })).toBe(null);
});

test('later messages of an alert reply to its first one, until the contact is edited; other alerts do not', async () => {
  await using fixture = await createDeliveryFixture({ scale: 20 });
  const { db, accountNo } = fixture;
  await using fake = await startFakeReceiver((response, _, count) => {
    const answer = JSON.stringify({ ok: true, result: { message_id: count * 11 } });
    response.writeHead(200).end(answer);
  });
  const contactId = newId();
  const receiver = { address: '-100', secret: '1:KEY', previousSecret: null };
  const contactNo = await createFixtures(db.kysely).contact(accountNo, {
    contact_id: contactId,
    type: 'telegram',
    address: '-100',
    sealed: sealContact(fixture.sealer, contactId, receiver),
  });
  const channels = createChannels({ ...settings, telegramUrl: new URL(fake.url).origin });
  await using _working = fixture.work({ channels });
  const replies: unknown[] = [];
  const say = async (alertNo: number, kind: 'device.down' | 'acknowledged' | 'device.up') => {
    const row = { ...sampleNotification, accountNo, contactNo, alertNo, kind, orderKey: `device:${alertNo}` };
    await db.kysely.transaction().execute((trx) => enqueue(trx, [row], systemClock.nowUs()));
    await vi.waitFor(
      async () => expect((await fixture.states()).map(({ state }) => state)).not.toContain('Pending'),
      { timeout: 60_000, interval: 20 },
    );
    replies.push(JSON.parse(fake.requests.at(-1)?.body ?? '{}').reply_parameters?.message_id ?? null);
  };

  await say(1, 'device.down');
  await say(1, 'acknowledged');
  await say(2, 'device.down');
  await say(1, 'device.up');
  // Another chat may have a message of the same number.
  await sql`update contacts set updated_at = clock_timestamp() where contact_no = ${contactNo}`.execute(
    db.kysely,
  );
  await say(2, 'acknowledged');
  await say(2, 'device.up');
  expect(replies).toEqual([null, 11, null, 11, null, 55]);
});
