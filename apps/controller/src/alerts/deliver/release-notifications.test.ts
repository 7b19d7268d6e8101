import { newId, systemClock } from '@vantage/kernel';
import { startFakeMailServer } from '@vantage/testing/fake-mail-server';
import { startFakeReceiver } from '@vantage/testing/fake-receiver';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { createTimeScale } from '../../config/time-scale.ts';
import { createChannels } from '../channels/channel-registry.ts';
import { recordReached } from './contact-health.ts';
import { enqueue } from './enqueue.ts';
import { createDeliveryFixture, type DeliveryFixture } from './testing/delivery-fixture.ts';
import { sampleNotification } from './testing/sample.ts';

const soon = { timeout: 60_000, interval: 20 };

/** Lets everything that was tried wait for an hour, as after many failed attempts. */
async function waitAnHour({ db }: DeliveryFixture, contactNo: number) {
  await vi.waitFor(async () => {
    const { rows } = await sql<{ left: number }>`
      select count(*)::int as left from notifications where contact_no = ${contactNo} and (attempts = 0 or lease_token is not null)`.execute(
      db.kysely,
    );
    expect(rows).toEqual([{ left: 0 }]);
  }, soon);
  const hourUs = 3_600_000_000;
  await sql`
    update notifications set due_us = ${systemClock.nowUs() + hourUs}, created_us = created_us - ${hourUs}
    where contact_no = ${contactNo} and state = 'Pending'`.execute(db.kysely);
}

const refusing = (count: () => boolean) => (response: import('node:http').ServerResponse) =>
  void response.writeHead(count() ? 200 : 503).end();

test('a good test and an edit of the contact release what waits for it at once', async () => {
  await using fixture = await createDeliveryFixture();
  let isUp = false;
  await using receiver = await startFakeReceiver(refusing(() => isUp));
  const contact = await fixture.webhook(receiver.url);
  await fixture.add([contact, 'device:1', 'web'], [contact, 'device:2', 'mail']);
  {
    await using _working = fixture.work();
    await waitAnHour(fixture, contact);
  }
  isUp = true;
  await using _working = fixture.work();
  await fixture.db.kysely.transaction().execute((trx) => recordReached(trx, contact, systemClock.nowUs()));
  await vi.waitFor(async () => {
    expect((await fixture.states()).map(({ state }) => state)).toEqual(['Delivered', 'Delivered']);
  }, soon);
  isUp = false;
  await fixture.add([contact, 'device:3', 'again']);
  await waitAnHour(fixture, contact);
  isUp = true;
  await sql`update contacts set updated_at = clock_timestamp() where contact_no = ${contact}`.execute(
    fixture.db.kysely,
  );
  await vi.waitFor(async () => expect((await fixture.states()).at(-1)?.state).toBe('Delivered'), soon);
});

test('what waited for people longer than ten minutes arrives as one message, each device once with its state', async () => {
  await using fixture = await createDeliveryFixture();
  await using mails = await startFakeMailServer();
  const contactNo = await fixture.email('noc@example.org');
  const { accountNo } = fixture;
  const rows = [1, 2, 3].flatMap((device) =>
    (device === 2 ? (['device.down', 'device.up'] as const) : (['device.down'] as const)).map((kind) => ({
      ...sampleNotification,
      accountNo,
      contactNo,
      alertNo: device,
      orderKey: `device:${device}`,
      kind,
      data: { ...sampleNotification.data, ShortName: `name-${device}` },
    })),
  );
  await fixture.db.kysely.transaction().execute((trx) => enqueue(trx, rows, systemClock.nowUs()));
  {
    const smtpUrl = 'smtp://127.0.0.1:1';
    await using _dead = fixture.work({
      channels: createChannels({ allowPrivate: true, smtpUrl, mailFrom: 'v@example.org' }),
    });
    await vi.waitFor(async () => {
      expect((await fixture.states()).filter(({ attempts }) => attempts > 0)).toHaveLength(3);
    }, soon);
  }
  await sql`update notifications set due_us = 0, created_us = created_us - 700000000`.execute(
    fixture.db.kysely,
  );
  await using _working = fixture.work({
    channels: createChannels({ allowPrivate: true, smtpUrl: mails.url, mailFrom: 'v@example.org' }),
  });
  await vi.waitFor(async () => {
    expect((await fixture.states()).every(({ state }) => state === 'Delivered')).toBe(true);
  }, soon);
  expect(mails.messages).toHaveLength(1);
  // It left when it was claimed: no lease ended without an answer.
  const { rows: unsure } = await sql`select from notifications where maybe_sent`.execute(fixture.db.kysely);
  expect(unsure).toEqual([]);
  const text = mails.messages[0]?.data.replaceAll('=\r\n', '') ?? '';
  for (const name of ['name-1 is Down', 'name-2 is Up again', 'name-3 is Down']) expect(text).toContain(name);
  expect(text).not.toContain('name-2 is Down');
});

test('a message whose answer did not arrive keeps its id, and is no part of a summary', async () => {
  await using fixture = await createDeliveryFixture();
  await using mails = await startFakeMailServer();
  const contact = await fixture.email('noc@example.org');
  await fixture.add(
    [contact, 'device:1', 'uncertain'],
    [contact, 'device:1', 'follows'],
    [contact, 'device:2', 'other'],
  );
  await sql`
    update notifications set attempts = 1, first_attempt_us = 1, lease_token = 'dead', lease_until_us = 0,
      message = '{"subject":"as it was","text":"as it was","html":"","thread":null}'
    where notification_no = (select min(notification_no) from notifications)`.execute(fixture.db.kysely);
  await sql`update notifications set created_us = created_us - 700000000`.execute(fixture.db.kysely);
  await using _working = fixture.work({
    channels: createChannels({ allowPrivate: true, smtpUrl: mails.url, mailFrom: 'v@example.org' }),
  });
  await vi.waitFor(async () => {
    expect((await fixture.states()).every(({ state }) => state === 'Delivered')).toBe(true);
  }, soon);
  const texts = mails.messages.map(({ data }) => data.replaceAll('=\r\n', ''));
  expect(texts.filter((text) => text.includes('as it was'))).toHaveLength(1);
  const place = (word: string) => texts.findIndex((text) => text.includes(word));
  expect(place('follows')).toBeGreaterThan(place('as it was'));
  expect(place('other')).toBeGreaterThanOrEqual(0);
});

test('a chat gets at most one message a second', async () => {
  await using fixture = await createDeliveryFixture();
  const times: number[] = [];
  await using receiver = await startFakeReceiver((response) => {
    times.push(systemClock.monoMs());
    response.writeHead(200).end();
  });
  const contact = await fixture.webhook(receiver.url);
  await sql`update contacts set type = 'slack' where contact_no = ${contact}`.execute(fixture.db.kysely);
  await using _working = fixture.work({ timeScale: createTimeScale(1), newToken: newId });
  await fixture.add([contact, 'device:1', 'a'], [contact, 'device:2', 'b'], [contact, 'device:3', 'c']);
  await vi.waitFor(() => expect(times).toHaveLength(3), soon);
  // The times of arrival differ from those of the claims by the work between them.
  for (const [n, at] of times.slice(1).entries()) expect(at - (times[n] ?? 0)).toBeGreaterThan(700);
});
