import { contactTypeNames } from '@vantage/alerts';
import { closedPort } from '@vantage/probes/testing';
import { type SmtpBehaviour, startFakeMailServer } from '@vantage/testing/fake-mail-server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  type ContractEndpoint,
  channelContract,
  fullNotice,
  sentinels,
} from '../deliver/testing/channel-contract.ts';
import type { Notice } from './channel.ts';
import { createChannels } from './channel-registry.ts';
import { createEmail } from './email.ts';

const mailFrom = 'Vantage <vantage@example.org>';
const id = 'e'.repeat(48);

channelContract('email', async (behaviour): Promise<ContractEndpoint | string> => {
  if (behaviour === 'asks to wait an hour') return 'no field of SMTP asks for a wait';
  if (behaviour === 'redirects') return 'no SMTP client follows a reply 251 or 551';
  const behaviours: Readonly<Record<string, SmtpBehaviour>> = {
    'refuses the message for now': { rcpt: `451 later ${sentinels[1]}` },
    'is gone': { rcpt: `550 no such mailbox ${sentinels[1]}` },
    'is silent': 'silent',
    'resets the connection': 'reset',
  };
  const mailServer = await startFakeMailServer(behaviours[behaviour] ?? 'accept');
  const url = behaviour === 'refuses connections' ? `smtp://127.0.0.1:${closedPort}` : mailServer.url;
  const smtpUrl = url.replace('://', `://me:${sentinels[0]}@`);
  return {
    channel: createEmail({ smtpUrl, mailFrom }),
    address: 'noc@example.org',
    secret: null,
    received: () => mailServer.messages.map(({ data }) => data),
    [Symbol.asyncDispose]: () => mailServer[Symbol.asyncDispose](),
  };
});

/** The subject and bodies that the channel composes. */
function composed(notices: readonly Notice[]) {
  const channel = createEmail({ smtpUrl: undefined, mailFrom });
  const parts = z.object({ subject: z.string(), html: z.string(), text: z.string() });
  return parts.parse(channel.compose(notices, null));
}

async function mailOf(notices: readonly Notice[]) {
  await using mailServer = await startFakeMailServer();
  const channel = createEmail({ smtpUrl: mailServer.url, mailFrom });
  const to = { name: 'noc', address: 'noc@example.org', secret: null, previousSecret: null };
  const message = channel.compose(notices, null);
  const outcome = await channel.send({ id, message, to, nowUs: 5 }, AbortSignal.timeout(9_000));
  const [mail] = mailServer.messages;
  const [head = '', ...bodies] = (mail?.data ?? '').split('\r\n\r\n');
  return { outcome, to: mail?.to, headers: head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n'), bodies };
}

test('an e-mail has a stable Message-ID, the thread of its alert, and says that a program sent it', async () => {
  const { outcome, to, headers } = await mailOf([fullNotice]);
  expect(outcome).toEqual({ kind: 'delivered', text: 'accepted by the mail server' });
  expect(to).toBe('<noc@example.org>');
  expect(headers).toEqual(
    expect.arrayContaining([
      `Message-ID: <${id}@example.org>`,
      `References: <alert-${'a'.repeat(48)}@example.org>`,
      `In-Reply-To: <alert-${'a'.repeat(48)}@example.org>`,
      'List-ID: Vantage <vantage.example.org>',
      'Auto-Submitted: auto-generated',
      'Subject: Outage of web since 22 Nov 2026 08:00:00 CET: HTTP 500',
      'From: Vantage <vantage@example.org>',
      'To: noc@example.org',
    ]),
  );
});

test('names and results cannot add a header, a recipient or HTML', async () => {
  const evil = 'web\r\nBcc: all@example.org\r\n\r\n<img src=x onerror=alert(1)>"\'\u202e\u0000';
  const data = { ...fullNotice.data, ShortName: evil, CheckResult: evil, FullName: evil, Location: evil };
  const { headers } = await mailOf([{ ...fullNotice, data }]);
  const names = headers.map((line) => line.split(':')[0]);
  expect(names).not.toContain('Bcc');
  expect(new Set(names).size).toBe(names.length);
  const { html } = composed([{ ...fullNotice, data }]);
  expect(html).not.toContain('<img');
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;');
});

test('the HTML loads nothing, and shows the last day as a table', () => {
  const { html, text } = composed([fullNotice]);
  expect(html).not.toMatch(/<(?:img|link|script|iframe)|url\(|src=|@import/i);
  expect(html).toContain('<td colspan="2" title="Up"');
  expect(text).toContain('..?m#');
  expect(text).toContain('Acknowledge: https://vantage.example/links/a');
});

/** `1,995` alerts, each with links of the length that they have when they are sent. */
function group(length: number, Severity: (n: number) => string, name = 'device') {
  const link = `https://vantage.example.org/links/${'x'.repeat(260)}`;
  const links = { acknowledge: link, snooze: link, details: link, acknowledgeAll: `${link}-all` };
  return Array.from({ length }, (_, n) => ({
    ...fullNotice,
    links,
    data: { ...fullNotice.data, ShortName: `${name}-${n}.`, Severity: Severity(n) },
  }));
}

test('a grouped e-mail names the 50 worst, and the rest as a number and a link', () => {
  const notices = group(1995, (n) => (n % 100 === 7 ? 'critical' : 'warning'));
  const { html, text, subject } = composed(notices);
  expect(subject).toBe('1995 messages: 1995 Down (device-7., device-107., device-207. and 1992 more)');
  const critical = notices.filter(({ data }) => data.Severity === 'critical');
  expect(critical).toHaveLength(20);
  for (const body of [html.slice(html.indexOf('<body')), text]) {
    expect(critical.filter(({ data }) => !body.includes(data.ShortName))).toEqual([]);
    expect(body.match(/device-\d+\./g)).toHaveLength(50);
    expect(body).toContain('and 1945 more');
    expect(body).toContain('-all');
  }
});

test.each([
  ['plain', 'device'],
  ['three bytes each', '漢'.repeat(195)],
  ['escaped in HTML', '"&<'.repeat(65)],
])('a grouped e-mail is at most 90 kB as it is sent, also with the longest names (%s)', async (_, name) => {
  await using mailServer = await startFakeMailServer();
  const channel = createEmail({ smtpUrl: mailServer.url, mailFrom });
  const to = { name: 'noc', address: 'noc@example.org', secret: null, previousSecret: null };
  const message = channel.compose(
    group(5_000, () => 'critical', name).map((notice) => ({
      ...notice,
      data: { ...notice.data, CheckResult: name.repeat(5) },
    })),
    null,
  );
  await channel.send({ id, message, to, nowUs: 5 }, AbortSignal.timeout(9_000));
  const size = Buffer.byteLength(mailServer.messages[0]?.data ?? '');
  expect(size).toBeGreaterThan(20_000);
  expect(size).toBeLessThan(90_000);
});

test('all mails of an alert have one subject, which stays true when the device is back', () => {
  const first = { ...fullNotice, data: { ...fullNotice.data, AlertKind: 'device.down', Cause: 'HTTP 500' } };
  const Began = fullNotice.data['Since'] ?? null;
  const begun = { ...first, data: { ...first.data, Began } };
  const repeat = { ...begun, data: { ...begun.data, Number: 3 }, composed: '2026-11-23T08:24:00+01:00' };
  const upData = {
    ...begun.data,
    Since: '2026-11-23T09:00:00+01:00',
    DownSince: Began,
    CheckResult: 'HTTP 200',
  };
  const up = { ...begun, kind: 'device.up', data: { ...upData, Seconds: 90_000 } };
  const subject = 'Outage of web since 22 Nov 2026 08:00:00 CET: HTTP 500';
  expect(composed([begun]).subject).toBe(subject);
  expect(composed([repeat]).subject).toBe(`Re: ${subject}`);
  expect(composed([up]).subject).toBe(`Re: ${subject}`);
  expect(composed([repeat]).text.split('\n')[0]).toBe(
    'web is Down: HTTP 500. Still Down for 24 h 24 min, since 22 Nov 08:00:00 CET, third message.',
  );
  expect(composed([up]).text).toMatch(/^web is Up again: HTTP 200\. Up since/);
});

test('without a mail server the message waits and says what to set', async () => {
  const channel = createEmail({ smtpUrl: undefined, mailFrom });
  const to = { name: 'noc', address: 'noc@example.org', secret: null, previousSecret: null };
  const sending = { id, message: channel.compose([fullNotice], null), to, nowUs: 5 };
  expect(await channel.send(sending, AbortSignal.timeout(9_000))).toEqual({
    kind: 'again',
    text: 'no mail server is set: an admin sets it on the page (Account, Mail and webhooks), or the operator by VANTAGE_SMTP_URL',
  });
});

test.each([
  ['550 no such mailbox', 'refused', '127.0.0.1 answered SMTP 550 to RCPT'],
  ['450 busy', 'again', '127.0.0.1 answered SMTP 450 to RCPT'],
])('a mail server that answers %s to a recipient: %s', async (rcpt, kind, text) => {
  await using mailServer = await startFakeMailServer({ rcpt });
  const channel = createEmail({ smtpUrl: mailServer.url, mailFrom });
  const to = { name: 'noc', address: 'noc@example.org', secret: null, previousSecret: null };
  const sending = { id, message: channel.compose([fullNotice], null), to, nowUs: 5 };
  expect(await channel.send(sending, AbortSignal.timeout(9_000))).toEqual({ kind, text });
});

test('only mail shows the day of a device', () => {
  const channels = createChannels({ allowPrivate: true, smtpUrl: undefined, mailFrom });
  expect(contactTypeNames.filter((type) => channels[type].showsDay)).toEqual(['email']);
});
