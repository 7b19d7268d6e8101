import { createLog, newId, systemClock } from '@vantage/kernel';
import { type FakeMailServer, startFakeMailServer } from '@vantage/testing/fake-mail-server';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { createEmail } from '../../src/alerts/channels/email.ts';
import { sendMails } from '../../src/alerts/deliver/mails/send-mails.ts';
import { runPageMails } from '../../src/alerts/deliver/page-mails/run-page-mails.ts';
import { createSubscriptionLinks } from '../../src/alerts/deliver/page-mails/subscription-links.ts';
import { createSubscriptions } from '../../src/alerts/deliver/page-mails/subscriptions.ts';
import { createEventFeed, createEventSource } from '../../src/reading/history/index.ts';
import { recordEvents } from '../../src/results/events/record-events.ts';
import { createRestHealth } from '../../src/results/status/index.ts';
import { type OneAccount, startOneAccount } from '../../src/testing/one-account.ts';

// Every text that belongs to the account and not on the page has the word Sentinel in it; no reader may see one.

const sentinel = /sentinel/i;
const links = createSubscriptionLinks([Buffer.alloc(32, 9)]);
const log = createLog('page-sentinels', 'silent');

/** An account with a page of one device, and all that could be told of it: each text is a sentinel. */
async function makeAccount(one: OneAccount): Promise<void> {
  const { kysely } = one.rest.db;
  const Tags = [await one.create('/tags', { Name: 'shop' })];
  await one.create('/tags', { Name: 'Sentinel-tag' });
  const device = {
    Method: 'HTTP',
    URL: 'https://sentinel-login:sentinel-word@sentinel-host.example/sentinel-path?sentinel=1',
    ShortName: 'sentinel',
    FullName: 'The shop',
    Tags: [...Tags, 'Sentinel-tag'],
    Options: { Headers: { 'X-Key': 'Sentinel-header' }, ExpectText: 'Sentinel-search' },
  };
  const id = await one.create('/devices', device);
  await one.create('/devices', {
    ...device,
    ShortName: 'inner',
    FullName: 'Sentinel-other',
    Tags: ['Sentinel-tag'],
  });
  await sql`update locations set name = 'Sentinel-location', online = true, online_since_us = 1`.execute(
    kysely,
  );
  await sql`update device_state s set status = 'Down', since_us = ${one.rest.clock.nowUs() - 600_000_000}::bigint
    from devices d where d.device_no = s.device_no and d.device_id = ${id}`.execute(kysely);
  for (const [type, ago] of [
    ['Down', 600],
    ['Up', 300],
  ] as const)
    await sql`insert into events (event_id, account_no, device_no, at_us, type, status, message, duration_s, late, recorded_us)
      select ${newId()}, d.account_no, d.device_no, ${one.rest.clock.nowUs() - ago * 1_000_000}::bigint, ${type}, ${type},
        'Sentinel-message', ${type === 'Up' ? 300 : null}, false, ${one.rest.clock.nowUs()}::bigint
      from devices d where d.device_id = ${id}`.execute(kysely);
  const note = { At: '2026-09-01T10:00:00Z', Kind: 'Investigating', Text: 'We look for the cause.' };
  await one.create('/pages', {
    Name: 'News',
    Path: 'news',
    Tags: ['shop'],
    Notes: [note],
    Footer: 'Shop Ltd.',
    ExternalKey: 'Sentinel-key',
  });
  await one.create('/pages', { Name: 'Sentinel-page', Path: 'staff', Access: 'SignedIn' });
}

/** All that a reader may get: status, headers and body of each answer. */
async function readAll(one: OneAccount): Promise<Readonly<Record<string, string>>> {
  const origin = one.rest.baseUrl.replace('/v1.1', '');
  const paths = [
    'news',
    'news.json',
    'news.atom',
    'news.png',
    'news/end/1.2.x',
    'staff',
    'staff.json',
    'none',
    'a b',
  ];
  const asks: readonly (readonly [
    string,
    Omit<RequestInit, 'headers'> & { headers?: Record<string, string> },
  ])[] = [
    ...paths.map((path) => [path, {}] as const),
    ...['news/subscribe', 'staff/subscribe', 'news/confirm/x', 'news'].map(
      (path) => [path, { method: 'POST', body: new URLSearchParams({ Email: 'no address' }) }] as const,
    ),
    ['news', { method: 'DELETE' }],
    ['news', { method: 'POST', body: '{"a":1}', headers: { 'Content-Type': 'application/json' } }],
    ['news/subscribe', { method: 'POST', body: new URLSearchParams({ Email: 'x'.repeat(9_000) }) }],
  ];
  const all: Record<string, string> = {};
  for (const [path, init] of asks) {
    const headers = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '192.0.2.7', ...init.headers };
    const reply = await fetch(`${origin}/status/${path}`, { redirect: 'manual', ...init, headers });
    all[`${init.method ?? 'GET'} ${path}`] =
      `${reply.status} ${JSON.stringify([...reply.headers])} ${await reply.text()}`;
  }
  return all;
}

/** The mails about pages to one subscriber: to confirm, and with news. */
async function readMails(one: OneAccount, mailServer: FakeMailServer): Promise<readonly string[]> {
  const { db } = one.rest;
  const ending = new AbortController();
  const feed = createEventFeed({ db, clock: systemClock, log });
  const shared = { db, clock: systemClock, log, timeScale: (time: number) => time / 100 };
  const channel = createEmail({ smtpUrl: mailServer.url, mailFrom: 'Vantage <vantage@example.org>' });
  const baseUrl = () => 'https://vantage.example';
  const working = Promise.all([
    runPageMails({ ...shared, events: createEventSource(db, feed) }, ending.signal),
    sendMails({ ...shared, links, channel, baseUrl, mayGiveUp: () => true }, ending.signal),
  ]);
  const origin = one.rest.baseUrl.replace('/v1.1', '');
  const send = (path: string, fields: Readonly<Record<string, string>>) =>
    fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '192.0.2.8' },
      body: new URLSearchParams(fields),
    });
  const soon = { timeout: 60_000, interval: 100 };
  await send('/status/news/subscribe', { Email: 'ada@example.org' });
  await vi.waitFor(() => expect(mailServer.messages).toHaveLength(1), soon);
  const confirm =
    /\/status\/news\/confirm\/[\w.-]+/.exec(plainOf(mailServer.messages[0]?.data ?? ''))?.[0] ?? '';
  // All that happened is news.
  await sql`insert into page_news (page_no, after_no, notes_us, due_us)
    select page_no, 0, '{}', 0 from pages where path = 'news'`.execute(db.kysely);
  await send(confirm, {});
  await vi.waitFor(() => expect(mailServer.messages).toHaveLength(2), soon);
  ending.abort(new Error('the test ends'));
  await working;
  await feed[Symbol.asyncDispose]();
  return mailServer.messages.map(({ data }) => plainOf(data));
}

const plainOf = (data: string) => data.replaceAll('=\r\n', '').replaceAll('=3D', '=').replaceAll('\r\n ', '');

test('nothing private of an account is in pages, feeds, mails, refusals or headers', async () => {
  await using one = await startOneAccount({
    health: (_, clock) => createRestHealth({ recordEvents, clock }),
    subscriptions: (db) => createSubscriptions({ db, clock: systemClock, links }),
  });
  await using mailServer = await startFakeMailServer();
  await makeAccount(one);
  const answers = await readAll(one);
  expect(answers['GET news']).toContain('The shop is down');
  expect(answers['GET news.json']).toContain('"Name":"The shop"');
  expect(answers['GET news.atom']).toContain('We look for the cause.');
  expect(answers['GET staff']).toMatch(/^404 /);
  expect(Object.entries(answers).filter(([, text]) => sentinel.test(text))).toEqual([]);
  const mails = await readMails(one, mailServer);
  expect(mails[1]).toContain('The shop is up again');
  expect(mails.filter((mail) => sentinel.test(mail))).toEqual([]);
});
