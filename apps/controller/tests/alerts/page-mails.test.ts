import { createLog, newId, systemClock } from '@vantage/kernel';
import { type FakeMailServer, startFakeMailServer } from '@vantage/testing/fake-mail-server';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createEmail } from '../../src/alerts/channels/email.ts';
import { insertAddressMail } from '../../src/alerts/deliver/mails/insert-mails.ts';
import { sendMails } from '../../src/alerts/deliver/mails/send-mails.ts';
import { runPageMails } from '../../src/alerts/deliver/page-mails/run-page-mails.ts';
import { createSubscriptionLinks } from '../../src/alerts/deliver/page-mails/subscription-links.ts';
import { createSubscriptions } from '../../src/alerts/deliver/page-mails/subscriptions.ts';
import { createEventFeed, createEventSource } from '../../src/reading/history/index.ts';
import { createRestFixture, type RestFixture } from '../../src/testing/rest-fixture.ts';

const soon = { timeout: 60_000, interval: 100 };
const log = createLog('page-mails', 'silent');
let rest: RestFixture;
let mailServer: FakeMailServer;
let account: { readonly accountNo: number; readonly locationNo: number };
let key = '';
let worker: AsyncDisposable;
const links = createSubscriptionLinks([Buffer.alloc(32, 5)]);

beforeAll(async () => {
  mailServer = await startFakeMailServer();
  const subscriptions: Parameters<typeof createRestFixture>[0] = {
    subscriptions: (db) => createSubscriptions({ db, clock: systemClock, links }),
  };
  rest = await createRestFixture(subscriptions);
  account = await rest.account('one');
  ({ key } = await rest.key(account.accountNo, 'UW'));
  worker = startWorker();
});
afterAll(async () => {
  await worker[Symbol.asyncDispose]();
  await rest[Symbol.asyncDispose]();
  await mailServer[Symbol.asyncDispose]();
});

function startWorker(): AsyncDisposable {
  const ending = new AbortController();
  const feed = createEventFeed({ db: rest.db, clock: systemClock, log });
  const timeScale = (time: number) => time / 100;
  const shared = { db: rest.db, clock: systemClock, log, timeScale };
  const channel = createEmail({ smtpUrl: mailServer.url, mailFrom: 'Vantage <vantage@example.org>' });
  const baseUrl = () => 'https://vantage.example';
  const done = Promise.all([
    runPageMails({ ...shared, events: createEventSource(rest.db, feed) }, ending.signal),
    sendMails({ ...shared, links, channel, baseUrl, mayGiveUp: () => true }, ending.signal),
  ]);
  return {
    async [Symbol.asyncDispose]() {
      ending.abort(new Error('the test ends'));
      await done;
      await feed[Symbol.asyncDispose]();
    },
  };
}

const fetchPage = (path: string, fields?: Readonly<Record<string, string>>, address = '192.0.2.9') =>
  fetch(`${rest.baseUrl.replace('/v1.1', '')}${path}`, {
    headers: { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': address },
    ...(fields === undefined ? {} : { method: 'POST', body: new URLSearchParams(fields) }),
  });
/** The mails to an address, their line breaks of the transport undone. */
const mailsTo = (email: string) =>
  mailServer.messages
    .filter(({ to }) => to.includes(email))
    .map(({ data }) => data.replaceAll('=\r\n', '').replaceAll('=3D', '=').replaceAll('\r\n ', ''));
const pathIn = (mail: string | undefined, action: string) =>
  new RegExp(`/status/[a-z]+/${action}/[\\w.-]+`).exec(mail ?? '')?.[0] ?? `no ${action}`;
const create = async (path: string, body: object) => {
  const { json, text } = await rest.send('POST', path, { key, body });
  const [id] = Object.values(z.record(z.string(), z.string()).parse(json, { error: () => text }));
  return id ?? '';
};
const note = (Text: string) => ({ At: new Date().toISOString(), Kind: 'Investigating', Text });
async function fall(deviceId: string, type: 'Down' | 'Up') {
  const { rows } = await sql<{ device_no: number }>`
    select device_no from devices where device_id = ${deviceId}`.execute(rest.db.kysely);
  await sql`insert into events (event_id, account_no, device_no, at_us, type, status, message, duration_s, late, recorded_us)
    values (${newId()}, ${account.accountNo}, ${rows[0]?.device_no}, ${rest.clock.nowUs()}, ${type}, ${type}, 'm',
      ${type === 'Up' ? 180 : null}, false, ${rest.clock.nowUs()})`.execute(rest.db.kysely);
}

test('a subscriber confirms, gets what goes down, comes back and is written, and ends it with one request', async () => {
  await create('/tags', { Name: 'shop' });
  const shop = await create('/devices', {
    Method: 'TCP',
    URL: 'h.example:1',
    ShortName: 'shop',
    FullName: 'The shop',
    Tags: ['shop'],
  });
  const other = await create('/devices', { Method: 'TCP', URL: 'h.example:1', ShortName: 'inner' });
  const pageId = await create('/pages', { Name: 'News', Path: 'news', Tags: ['shop'] });
  expect(await (await fetchPage('/status/news')).text()).toContain('name="Email"');
  const asked = await fetchPage('/status/news/subscribe', { Email: 'Ada@Example.org' });
  expect(asked.status).toBe(200);
  await vi.waitFor(() => expect(mailsTo('ada@example.org')).toHaveLength(1), soon);
  const confirm = pathIn(mailsTo('ada@example.org')[0], 'confirm');
  // Mail servers open links: only the button acts.
  expect(await (await fetchPage(confirm)).text()).toContain('mails will go to ada@example.org');
  await fall(shop, 'Down');
  // One of 64 links ends with an x.
  const forged = confirm.slice(0, -1) + (confirm.endsWith('x') ? 'y' : 'x');
  expect((await fetchPage(forged)).status).toBe(404);
  expect((await fetchPage(confirm.replace('confirm', 'end'))).status).toBe(404);
  expect(await (await fetchPage(confirm, {})).text()).toContain('You will get the news');
  await vi.waitFor(async () => {
    const { rows } = await sql`select from page_news`.execute(rest.db.kysely);
    expect(rows).toHaveLength(1);
  }, soon);
  await fall(shop, 'Up');
  await fall(other, 'Down');
  await vi.waitFor(() => expect(mailsTo('ada@example.org')).toHaveLength(2), soon);
  const [, up = ''] = mailsTo('ada@example.org');
  expect(up).toContain('Subject: News: The shop is up again since');
  expect(up).toContain('it was down for 3 min');
  expect(up).not.toContain('inner');
  expect(up).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
  await rest.send('PUT', `/pages/${pageId}`, { key, body: { Notes: [note('We look for the cause.')] } });
  await vi.waitFor(() => expect(mailsTo('ada@example.org')).toHaveLength(3), soon);
  const last = mailsTo('ada@example.org')[2];
  expect(last).toContain('Investigating: We look for the cause.');
  await fall(shop, 'Down');
  await sql`update page_news set due_us = 0`.execute(rest.db.kysely);
  await vi.waitFor(() => expect(mailsTo('ada@example.org')).toHaveLength(4), soon);
  expect(mailsTo('ada@example.org')[3]).toContain('The shop is down');
  // A note is told once.
  expect(mailsTo('ada@example.org')[3]).not.toContain('We look for the cause.');
  const ended = await fetchPage(pathIn(last, 'end'), { 'List-Unsubscribe': 'One-Click' });
  expect(await ended.text()).toContain('No further mails will come');
  expect((await fetchPage(pathIn(last, 'end'))).status).toBe(404);
  const { rows } = await sql`select from page_subscribers`.execute(rest.db.kysely);
  expect(rows).toEqual([]);
});

test('nobody learns whether an address is subscribed, nor floods a mailbox', async () => {
  await create('/pages', { Name: 'Quiet', Path: 'quiet' });
  const ask = async (Email: string, address: string) => {
    const reply = await fetchPage('/status/quiet/subscribe', { Email }, address);
    return [reply.status, await reply.text()];
  };
  const first = await ask('bob@example.org', '192.0.2.20');
  await vi.waitFor(() => expect(mailsTo('bob@example.org')).toHaveLength(1), soon);
  expect(await ask('bob@example.org', '192.0.2.20')).toEqual(first);
  await fetchPage(pathIn(mailsTo('bob@example.org')[0], 'confirm'), {});
  expect(await ask('bob@example.org', '192.0.2.20')).toEqual(first);
  expect((await ask('bob@example.org\r\nBcc: eve@example.org', '192.0.2.20'))[0]).toBe(409);
  for (let i = 0; i < 6; i += 1) await ask('bob@example.org', '192.0.2.21');
  expect((await ask('bob@example.org', '192.0.2.21'))[0]).toBe(503);
  // An IPv6 network of 64 bits counts as one address.
  for (let i = 0; i < 5; i += 1) await ask('bob@example.org', `2001:db8:5:6::${i}`);
  expect((await ask('bob@example.org', '2001:db8:5:6::ff'))[0]).toBe(503);
  expect((await ask('bob@example.org', '2001:db8:5:7::1'))[0]).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(mailsTo('bob@example.org')).toHaveLength(1);
});

test('a mail to a person is sent to their address, as it was stored', async () => {
  const mail = {
    accountNo: account.accountNo,
    address: 'ida@example.org',
    subject: 'Your sign-in was changed',
    body: 'All sessions ended.',
  };
  for (let n = 0; n < 2; n += 1)
    await insertAddressMail(rest.db.kysely, { ...mail, nowUs: systemClock.nowUs() });
  await vi.waitFor(() => expect(mailsTo('ida@example.org')[0]).toContain('All sessions ended.'), soon);
  await vi.waitFor(async () => {
    const left = await rest.db.kysely.selectFrom('mails').where('address', 'is not', null).execute();
    expect(left).toEqual([]);
  }, soon);
});

test.each([
  'root@localhost',
  'root@127.0.0.1',
  'a@intranet',
  'a@printer.local',
  'a@db.internal',
  'a@x.localhost',
])('a stranger has no mail sent to %s: it stays in the network of the mail server', async (Email) => {
  await create('/pages', { Name: Email, Path: `local-${Buffer.from(Email).toString('hex').slice(0, 40)}` });
  const path = `/status/local-${Buffer.from(Email).toString('hex').slice(0, 40)}/subscribe`;
  const reply = await fetchPage(path, { Email }, `198.51.100.${Email.length}`);
  expect([reply.status, await reply.text()]).toEqual([409, expect.stringContaining('public domain')]);
  const { rows } = await sql`select from page_subscribers where email = ${Email}`.execute(rest.db.kysely);
  expect(rows).toEqual([]);
});

test('a link of a page that one may not read says as little as one of a page that does not exist', async () => {
  for (const [Path, Access] of [
    ['inner', 'SignedIn'],
    ['locked', 'Password'],
    ['open', 'Public'],
  ])
    await create('/pages', {
      Name: `Secret ${Path}`,
      Path,
      Access,
      ...(Access === 'Password' && { Password: 'a long password' }),
    });
  for (const action of ['confirm', 'end']) {
    const none = await fetchPage(`/status/nothing/${action}/1.1.forged`);
    const expected = [none.status, await none.text()];
    expect(expected[0]).toBe(404);
    for (const path of ['inner', 'locked', 'open']) {
      const reply = await fetchPage(`/status/${path}/${action}/1.1.forged`);
      expect([reply.status, await reply.text()]).toEqual(expected);
      expect(Object.fromEntries(reply.headers)).toEqual({
        ...Object.fromEntries(none.headers),
        date: expect.anything(),
        'x-request-id': expect.anything(),
      });
    }
  }
});
