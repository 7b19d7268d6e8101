import { parseSpan } from '@vantage/domain/report';
import { type Clock, createLog, systemClock } from '@vantage/kernel';
import { type FakeMailServer, startFakeMailServer } from '@vantage/testing/fake-mail-server';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createEmail } from '../../src/alerts/channels/email.ts';
import { sendMails } from '../../src/alerts/deliver/mails/send-mails.ts';
import { createSubscriptionLinks } from '../../src/alerts/deliver/page-mails/subscription-links.ts';
import { runReportMails } from '../../src/alerts/deliver/report-mails/run-report-mails.ts';
import { createReportReader } from '../../src/reading/history/index.ts';
import { recordEvents } from '../../src/results/events/record-events.ts';
import { createRestHealth } from '../../src/results/status/index.ts';
import { type OneAccount, startOneAccount } from '../../src/testing/one-account.ts';

const soon = { timeout: 60_000, interval: 100 };
const log = createLog('report-mails', 'silent');
const us = (iso: string) => Date.parse(iso) * 1_000;
/** March 2026 in Berlin, in which the clocks are changed: 743 hours. */
const [fromUs, toUs] = [us('2026-02-28T23:00:00Z'), us('2026-03-31T22:00:00Z')];
let one: OneAccount;
let mailServer: FakeMailServer;
let reportId = '';
let nowUs = 0;
let rolledToUs = 0;
/** How often a controller looked whether a month is due. */
let looks = 0;
/** The machine's clock with another time of day. */
const clock: Clock = { ...systemClock, nowUs: () => nowUs };

beforeAll(async () => {
  mailServer = await startFakeMailServer();
  one = await startOneAccount({
    timezone: 'Europe/Berlin',
    health: () => createRestHealth({ recordEvents, clock }),
  });
  await one.create('/tags', { Name: 'shop' });
  const web = { Method: 'TCP', URL: 'h.example:1', ShortName: 'web', FullName: 'Shop <web>', Tags: ['shop'] };
  const devices = [
    await one.create('/devices', web),
    await one.create('/devices', { ...web, ShortName: 'db', FullName: 'Database' }),
    await one.create('/devices', { ...web, ShortName: 'inner', FullName: 'Inner', Tags: [] }),
  ];
  await observe(devices);
  await one.create('/contacts', {
    Name: 'Ada',
    Type: 'email',
    Address: 'ada@example.org',
    ExternalKey: 'ada',
  });
  await one.create('/contacts', {
    Name: 'Bob',
    Type: 'email',
    Address: 'bob@example.org',
    ExternalKey: 'bob',
  });
  await one.create('/contacts', {
    Name: 'Chat',
    Type: 'slack',
    Address: 'https://hooks.slack.com/services/T0/B0/x',
    ExternalKey: 'chat',
  });
  reportId = await one.create('/reports', {
    Name: 'The shop',
    Contacts: ['key:ada', 'key:bob'],
    Tags: ['shop'],
    Objective: 99.9,
  });
  await sql`update reports set created_us = ${us('2026-03-20T00:00:00Z')}::bigint`.execute(
    one.rest.db.kysely,
  );
});
afterAll(async () => {
  await one[Symbol.asyncDispose]();
  await mailServer[Symbol.asyncDispose]();
});

/** The agent looked all the time: the first device was Down for 3,000 s, the others never. */
async function observe(devices: readonly string[]) {
  const { kysely } = one.rest.db;
  await sql`update devices set created_us = ${fromUs}::bigint`.execute(kysely);
  const { rows } = await sql<{ agent_no: number }>`
    insert into agents (agent_id, account_no, location_no, name, token_hash, token_expires_us, state)
    values ('agent', ${one.accountNo}, ${one.locationNo}, 'agent', '\x01', 1, 'Connected') returning agent_no`.execute(
    kysely,
  );
  const agentNo = rows[0]?.agent_no;
  await sql`insert into coverage values (${agentNo}, ${fromUs}, ${toUs + 90 * 86_400_000_000})`.execute(
    kysely,
  );
  for (const [at, id] of devices.entries()) {
    const of = sql`(select device_no from devices where device_id = ${id})`;
    await sql`insert into assignment_spans (device_no, agent_no, location_no, from_us, rotation_index, rotation_size, retries_locally, run_immediately)
      values (${of}, ${agentNo}, ${one.locationNo}, ${fromUs}, 0, 1, false, false)`.execute(kysely);
    const downUs = us('2026-03-29T00:30:00Z');
    const changes = [
      [fromUs, 'Up'],
      ...(at === 0
        ? [
            [downUs, 'Down'],
            [downUs + 3_000_000_000, 'Up'],
          ]
        : []),
    ] as const;
    for (const [when = 0, status = ''] of changes)
      await sql`insert into status_intervals (device_no, from_us, status) values (${of}, ${when}, ${status})
        on conflict (device_no, from_us) do update set status = excluded.status`.execute(kysely);
  }
}

/** Two controllers side by side, that make and send mails until this is disposed. */
function startControllers(): AsyncDisposable {
  const ending = new AbortController();
  const { db } = one.rest;
  const timeScale = (time: number) => time / 500;
  const shared = { db, clock, log, timeScale, baseUrl: () => 'https://vantage.example' };
  const { uptimes } = createRestHealth({ recordEvents, clock });
  const run = () => [
    runReportMails(
      {
        ...shared,
        readFigures: createReportReader(db, uptimes),
        rollUps: async () => {
          looks += 1;
          return { rolledToUs, dirty: new Set<number>() };
        },
        mayEndMonth: () => true,
      },
      ending.signal,
    ),
    sendMails(
      {
        ...shared,
        channel: createEmail({ smtpUrl: mailServer.url, mailFrom: 'Vantage <vantage@example.org>' }),
        links: createSubscriptionLinks([Buffer.alloc(32, 5)]),
        mayGiveUp: () => true,
      },
      ending.signal,
    ),
  ];
  const done = Promise.all([...run(), ...run()]);
  return {
    async [Symbol.asyncDispose]() {
      ending.abort(new Error('the test ends'));
      await done;
    },
  };
}

const decoded = (data: string) =>
  Buffer.from(
    data
      .replaceAll('=\r\n', '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');
const mailsTo = (email: string) =>
  mailServer.messages.filter(({ to }) => to.includes(email)).map(({ data }) => decoded(data));
const report = async () =>
  z
    .object({ Next: z.string(), LastMonth: z.string().nullable(), LastAnswer: z.string().nullable() })
    .parse((await one.send('GET', `/reports/${reportId}`)).json);

/** Waits until the controllers looked so many times more. */
async function rounds(count: number): Promise<void> {
  const wanted = looks + count;
  await vi.waitFor(() => expect(looks).toBeGreaterThanOrEqual(wanted), soon);
}

/** A report before all others, of an account in a zone that this runtime does not know. */
async function strangerReport(): Promise<void> {
  await sql`with stranger as (
      insert into accounts (account_id, name, timezone) values ('mars', 'mars', 'Mars/Base') returning account_no)
    insert into reports (report_no, report_id, account_no, name, contact_nos, created_us) overriding system value
    select 0, 'mars', account_no, 'mars', '{}', ${us('2026-03-20T00:00:00Z')}::bigint from stranger`.execute(
    one.rest.db.kysely,
  );
}

test('the mail comes once after the month, with the figures of GET /uptime, over restarts and two controllers', async () => {
  await strangerReport();
  expect(await report()).toMatchObject({ Next: '2026-04-01T00:00:00+02:00', LastMonth: null });
  // The month has ended, but its last hour is not summed up yet.
  nowUs = toUs + 60_000_000;
  rolledToUs = toUs - 3_600_000_000;
  const first = startControllers();
  await rounds(4);
  expect(mailServer.messages).toEqual([]);
  rolledToUs = toUs;
  await vi.waitFor(() => expect(mailServer.messages).toHaveLength(2), soon);
  await vi.waitFor(async () => expect((await report()).LastAnswer).toContain('accepted'), soon);
  await first[Symbol.asyncDispose]();
  await using _again = startControllers();
  await rounds(4);
  expect(mailServer.messages).toHaveLength(2);
  expect(await report()).toMatchObject({ Next: '2026-05-01T00:00:00+02:00', LastMonth: '2026-03' });

  const query = `Timestamp1=2026-03-01T00:00:00&Timestamp2=2026-04-01T00:00:00`;
  const uptimes = z
    .array(z.object({ Uptime: z.object({ UpSeconds: z.int(), DownSeconds: z.int() }) }))
    .parse((await one.send('GET', `/uptime?${query}&Tag=shop`)).json);
  const up = uptimes.reduce((sum, { Uptime }) => sum + Uptime.UpSeconds, 0);
  const down = uptimes.reduce((sum, { Uptime }) => sum + Uptime.DownSeconds, 0);
  expect([up + down, down]).toEqual([2 * 743 * 3_600, 3_000]);
  const percent = (Math.floor((up / (up + down)) * 100_000) / 1_000).toFixed(3);
  const [mail = ''] = mailsTo('ada@example.org');
  expect(mail).toContain(`Subject: The shop: ${percent} % of March 2026`);
  expect(mail).toContain('2 devices were up');
  expect(mail).toContain(`${percent}\u00a0%`);
  expect(mail).toContain('Total downtime: 50\u00a0min');
  expect(mail).toContain('The objective of 99.9\u00a0% is not kept by all: it is kept by 1 of 2 devices.');
  expect(mail).toContain('29\u00a0Mar\u00a02026 01:30');
  expect(mail).toContain('Shop &lt;web&gt;');
  expect(mail).not.toContain('Inner');
  expect(mail).toContain('How it is counted');
  expect(mail).toContain('https://vantage.example/reports?span=2026-03');
  expect(mailsTo('bob@example.org')).toHaveLength(1);
});

test('a controller that was away makes each month that it missed, in order', async () => {
  nowUs = us('2026-06-03T10:00:00Z');
  rolledToUs = nowUs;
  const before = mailsTo('ada@example.org').length;
  await using _controllers = startControllers();
  await vi.waitFor(() => expect(mailsTo('ada@example.org')).toHaveLength(before + 2), soon);
  const subjects = mailsTo('ada@example.org').map((mail) => /Subject: (.*)/.exec(mail)?.[1]?.trim());
  const all = ['The shop: 100 % of April 2026', 'The shop: 100 % of May 2026'];
  expect(subjects.slice(before)).toEqual(expect.arrayContaining(all));
  await vi.waitFor(async () => expect((await report()).LastMonth).toBe('2026-05'), soon);
  expect(parseSpan('2026-05')?.last).toBe('2026-05-31');
});

test('a report names contacts that take mail, and keeps them and its tags from being deleted', async () => {
  const refused = await one.send('PUT', `/reports/${reportId}`, {
    Contacts: ['key:chat', 'key:nobody'],
    Objective: 99.99999,
  });
  expect(refused.json).toMatchObject({
    code: 1004,
    errors: expect.arrayContaining([
      expect.objectContaining({ field: 'Contacts.0' }),
      expect.objectContaining({ field: 'Contacts.1' }),
      expect.objectContaining({ field: 'Objective' }),
    ]),
  });
  const ada = z
    .array(z.object({ contact_id: z.string() }))
    .parse((await one.send('GET', '/contacts?ExternalKey=ada')).json);
  const kept = await one.send('DELETE', `/contacts/${ada[0]?.contact_id}`);
  expect(kept.json).toMatchObject({
    code: 1005,
    message: expect.stringContaining('monthly report The shop'),
  });
  const tags = z.array(z.object({ tag_id: z.string() })).parse((await one.send('GET', '/tags')).json);
  expect((await one.send('DELETE', `/tags/${tags[0]?.tag_id}`)).json).toMatchObject({ code: 1005 });
});
