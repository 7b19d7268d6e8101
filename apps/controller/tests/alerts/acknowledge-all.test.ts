import { newId, systemClock } from '@vantage/kernel';
import { createSteppedClock } from '@vantage/kernel/testing';
import type { FormRequest } from '@vantage/rest-kit/outer-routes';
import { sealContact } from '@vantage/storage/secrets/sealed-contact';
import { startFakeMailServer } from '@vantage/testing/fake-mail-server';
import { startFakeReceiver } from '@vantage/testing/fake-receiver';
import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createChannels } from '../../src/alerts/channels/channel-registry.ts';
import { acknowledgeMany } from '../../src/alerts/decide/acknowledge.ts';
import { enqueue } from '../../src/alerts/deliver/enqueue.ts';
import { linkRoutes } from '../../src/alerts/deliver/link-routes.ts';
import { createLinks, linkLifeUs } from '../../src/alerts/deliver/links.ts';
import {
  createDeliveryFixture,
  type DeliveryFixture,
} from '../../src/alerts/deliver/testing/delivery-fixture.ts';
import { sampleNotification } from '../../src/alerts/deliver/testing/sample.ts';

const soon = { timeout: 60_000, interval: 250 };
const many = 100;
const minuteMs = 60_000;
/** The longest message of GSM-7 in three parts. */
const maxSmsLength = 459;

/** So many devices are Down, each with an open alert and a message to the contact. */
async function fail({ db, accountNo }: DeliveryFixture, ...contactNos: readonly number[]) {
  const nowUs = systemClock.nowUs();
  const { rows } = await sql<{ alert_no: number; alert_id: string }>`
    insert into alerts (alert_id, account_no, kind, device_no, severity, opened_us, since_us, state, opening)
    select g.id, ${accountNo}, 'device.down', g.no, 'critical', ${nowUs}::bigint, ${nowUs}::bigint, '{"phase":"active"}', '{}'
    from jsonb_to_recordset(${JSON.stringify(Array.from({ length: many }, (_, no) => ({ id: newId(), no })))}::jsonb) as g (id text, no int)
    order by g.no returning alert_no, alert_id`.execute(db.kysely);
  const notifications = contactNos.flatMap((contactNo) =>
    rows.map(({ alert_no: alertNo, alert_id }, n) => ({
      ...sampleNotification,
      accountNo,
      contactNo,
      alertNo,
      orderKey: `device:${n}`,
      data: { ...sampleNotification.data, alert_id, ShortName: `web-${n}` },
    })),
  );
  await db.kysely.transaction().execute((trx) => enqueue(trx, notifications, nowUs));
  return notifications;
}

const incident = z.object({ event_action: z.string(), dedup_key: z.string() });

/** A contact of a type whose credential is its Secret. */
async function contactOf(
  { db, sealer, accountNo }: DeliveryFixture,
  type: string,
  address: string,
  options: string | null = null,
) {
  const contactId = newId();
  const sealed = sealContact(sealer, contactId, { address, secret: 'KEY', previousSecret: null });
  const values = { contact_id: contactId, type, address, sealed };
  const more = options === null ? {} : { options };
  return createFixtures(db.kysely).contact(accountNo, { ...values, ...more });
}

async function acknowledgedOf({ db }: DeliveryFixture) {
  const { rows } = await sql<{ by: string; note: string | null; count: number }>`
    select acknowledged_by as by, acknowledged_note as note, count(*)::int as count from alerts
    where acknowledged_us is not null group by 1, 2`.execute(db.kysely);
  return rows;
}

test('100 devices are Down: one person gets six mails, and one button acknowledges all that the last one names', async () => {
  await using fixture = await createDeliveryFixture();
  await using mails = await startFakeMailServer();
  const contact = await fixture.email('noc@example.org');
  const links = createLinks([new Uint8Array(32)]);
  await fail(fixture, contact);
  const clock = createSteppedClock();
  await using _working = fixture.work({
    clock,
    channels: createChannels({ allowPrivate: true, smtpUrl: mails.url, mailFrom: 'v@example.org' }),
    linkOf: ({ firstAttemptUs, ...link }) =>
      `https://vantage.example/links/${links.sign({ ...link, expiresUs: firstAttemptUs + linkLifeUs })}`,
  });
  await vi.waitFor(() => expect(mails.messages).toHaveLength(5), soon);
  clock.step(minuteMs);
  await vi.waitFor(async () => {
    expect((await fixture.states()).every(({ state }) => state === 'Delivered')).toBe(true);
  }, soon);
  expect(mails.messages).toHaveLength(6);
  const text = mails.messages.at(-1)?.data.replaceAll('=\r\n', '') ?? '';
  const rest = /Acknowledge all: https:\/\/vantage\.example\/links\/(\S+)/.exec(text)?.[1] ?? '';

  const [route] = linkRoutes({
    db: fixture.db,
    clock: systemClock,
    links,
    actions: {
      acknowledge: async () => ({ kind: 'done' }),
      snooze: async () => ({ kind: 'done' }),
      acknowledgeMany,
    },
  });
  if (route?.needsKey !== 'signed') throw new Error('no page');
  const nothingSent = { fields: new URLSearchParams(), query: new URLSearchParams(), cookie: undefined };
  const request: FormRequest = { isSent: false, address: '192.0.2.1', rest, ...nothingSent };
  const page = await route.run(request);
  expect(page.status).toBe(200);
  expect(page.body).toContain('95 open: ');
  expect(page.body).toContain('web-99.</p>');
  expect(page.body).toContain('<button>Acknowledge all</button>');
  expect(await acknowledgedOf(fixture)).toEqual([]);

  // One that is over meanwhile is left alone.
  await sql`update alerts set closed_us = 1 where alert_no = (select max(alert_no) from alerts)`.execute(
    fixture.db.kysely,
  );
  const done = await route.run({ ...request, isSent: true, fields: new URLSearchParams({ Note: 'on it' }) });
  expect(done.body).toContain('<h1>Acknowledged 94</h1>');
  expect(await acknowledgedOf(fixture)).toEqual([{ by: 'contact', note: 'on it', count: 94 }]);

  await sql`update alerts set closed_us = 1`.execute(fixture.db.kysely);
  expect(await route.run({ ...request, isSent: true })).toMatchObject({ status: 409 });
  expect(await route.run({ ...request, rest: `${rest}x` })).toMatchObject({ status: 404 });
});

test('100 devices are Down: one person gets six SMS and six chat messages, PagerDuty 100 incidents, and one act acknowledges them', async () => {
  await using fixture = await createDeliveryFixture();
  await using texts = await startFakeReceiver();
  await using chats = await startFakeReceiver((response, _, count) =>
    response.writeHead(200).end(JSON.stringify({ ok: true, result: { message_id: count } })),
  );
  await using pages = await startFakeReceiver((response) => response.writeHead(202).end('{}'));
  const settings = { allowPrivate: true, smtpUrl: undefined, mailFrom: 'v@example.org' };
  const channels = createChannels({ ...settings, telegramUrl: new URL(chats.url).origin });
  const sms = await contactOf(fixture, 'sms', texts.url, JSON.stringify({ To: '+4712345678' }));
  const chat = await contactOf(fixture, 'telegram', '-100');
  const pager = await contactOf(fixture, 'pagerduty', pages.url);
  const begun = await fail(fixture, sms, chat, pager);
  const clock = createSteppedClock();
  await using _working = fixture.work({ clock, channels });
  const allLeft = () =>
    vi.waitFor(async () => {
      expect((await fixture.states()).every(({ state }) => state === 'Delivered')).toBe(true);
    }, soon);
  // A chat gets one message a second.
  for (let told = 1; told <= 5; told += 1) {
    await vi.waitFor(() => expect(chats.requests).toHaveLength(told), soon);
    clock.step(1_000);
  }
  await vi.waitFor(() => expect(texts.requests).toHaveLength(5), soon);
  clock.step(minuteMs);
  await allLeft();

  const sent = texts.requests.map(({ body }) =>
    z.object({ to: z.string(), text: z.string() }).parse(JSON.parse(body)),
  );
  expect(sent).toHaveLength(6);
  for (const { text } of sent) expect(text.length).toBeLessThanOrEqual(maxSmsLength);
  expect(sent.at(-1)?.text).toMatch(/^95 messages: 95 Down\.\n/);
  expect(chats.requests).toHaveLength(6);
  const incidentsOf = (action: string) =>
    pages.requests.flatMap(({ body }) => {
      const { event_action, dedup_key } = incident.parse(JSON.parse(body));
      return event_action === action ? [dedup_key] : [];
    });
  const alertIds = begun.filter(({ contactNo }) => contactNo === pager).map(({ data }) => data.alert_id);
  expect(incidentsOf('trigger').toSorted()).toEqual(alertIds.toSorted());

  const ask = {
    accountNo: fixture.accountNo,
    alertIds,
    by: 'deploy',
    note: null,
    nowUs: systemClock.nowUs(),
  };
  expect(await acknowledgeMany(fixture.db.kysely, ask)).toBe(many);
  const told = begun
    .filter(({ contactNo }) => contactNo !== sms)
    .map((row) => ({
      ...row,
      kind: 'acknowledged' as const,
      data: { ...row.data, By: 'deploy', Note: null },
    }));
  await fixture.db.kysely.transaction().execute((trx) => enqueue(trx, told, clock.nowUs()));
  clock.step(minuteMs);
  await allLeft();
  expect(incidentsOf('acknowledge').toSorted()).toEqual(alertIds.toSorted());
  expect(pages.requests).toHaveLength(2 * many);
  expect(chats.requests.length).toBeLessThanOrEqual(12);
  expect(texts.requests).toHaveLength(6);
});
