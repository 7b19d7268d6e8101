import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Notice } from '../../apps/controller/src/alerts/channels/channel.ts';
import { createEmail } from '../../apps/controller/src/alerts/channels/email.ts';
import { fullNotice } from '../../apps/controller/src/alerts/deliver/testing/channel-contract.ts';
import { startDovecot, startPostfix } from './mail-servers.ts';
import { createServersFixture, login, serversMissing } from './servers-fixture.ts';

test('e-mails arrive at Postfix: by STARTTLS and a login, by implicit TLS, under one Message-ID; a wrong password and an unknown certificate are named', async (context) => {
  const missing = serversMissing('postfix', 'dovecot-imapd');
  if (missing !== undefined) return context.skip(missing);
  await using fixture = await createServersFixture();
  await using dovecot = await startDovecot(fixture, fixture.certificates.good);
  await using postfix = await startPostfix(fixture, fixture.certificates.good, dovecot.authSocket);
  const account = `${login.user}:${encodeURIComponent(login.password)}`;
  const trust = 'tls.rejectUnauthorized=false';
  const id = 'e'.repeat(48);
  const send = (smtpUrl: string, address: string) => {
    const channel = createEmail({ smtpUrl, mailFrom: 'Vantage <vantage@real.test>' });
    const to = { name: 'noc', address, secret: null, previousSecret: null };
    const message = channel.compose([fullNotice], null);
    return channel.send({ id, message, to, nowUs: Date.now() * 1000 }, AbortSignal.timeout(10_000));
  };
  const startTls = `smtp://${account}@127.0.0.1:${postfix.port}?${trust}`;
  const delivered = { kind: 'delivered', text: 'accepted by the mail server' };
  expect(await send(startTls, 'noc@real.test')).toEqual(delivered);
  expect(await send(`smtps://${account}@127.0.0.1:${postfix.tlsPort}?${trust}`, 'noc@real.test')).toEqual(
    delivered,
  );
  expect(await send(startTls.replace(encodeURIComponent(login.password), 'wrong'), 'noc@real.test')).toEqual({
    kind: 'again',
    text: '127.0.0.1 answered SMTP 535 to AUTH',
  });
  expect(await send(`smtp://127.0.0.1:${postfix.port}`, 'noc@real.test')).toMatchObject({
    text: '127.0.0.1 has a certificate that is not trusted',
  });
  const folder = path.join(dovecot.mailbox, 'new');
  await vi.waitFor(() => expect(readdirSync(folder)).toHaveLength(2), { timeout: 10_000, interval: 50 });
  const mails = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
  for (const mail of mails) {
    expect(mail).toContain(`Message-ID: <${id}@real.test>`);
    expect(mail).toContain('Subject: Outage of web since 22 Nov 2026 08:00:00 CET: HTTP 500');
    expect(mail).toContain('Content-Type: text/html; charset=utf-8');
  }
});

/** Sends the lines on one connection to an IMAP server; resolves with all that it answered. */
async function converse(port: number, lines: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(lines.map((line, place) => `a${place} ${line}\r\n`).join(''));
  socket.setEncoding('utf8');
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

test('all mails of an alert are one thread in a mailbox, also for programs that compare subjects', async (context) => {
  const missing = serversMissing('postfix', 'dovecot-imapd');
  if (missing !== undefined) return context.skip(missing);
  await using fixture = await createServersFixture();
  await using dovecot = await startDovecot(fixture, fixture.certificates.good);
  await using postfix = await startPostfix(fixture, fixture.certificates.good, dovecot.authSocket);
  const smtpUrl = `smtp://${login.user}:${encodeURIComponent(login.password)}@127.0.0.1:${postfix.port}?tls.rejectUnauthorized=false`;
  const channel = createEmail({ smtpUrl, mailFrom: 'Vantage <vantage@real.test>' });
  const mailOf = (alert: string, kind: string, more: Notice['data']): Notice => ({
    ...fullNotice,
    kind,
    data: {
      ...fullNotice.data,
      alert_id: alert.repeat(48),
      ShortName: `web-${alert}`,
      AlertKind: 'device.down',
      Began: '2026-11-22T08:00:00+01:00',
      Cause: 'HTTP 500',
      ...more,
    },
  });
  const up = { Since: '2026-11-22T08:24:00+01:00', DownSince: '2026-11-22T08:00:00+01:00', Seconds: 1_440 };
  const notices = [
    mailOf('a', 'device.down', {}),
    mailOf('b', 'device.down', {}),
    mailOf('a', 'device.down', { Number: 2 }),
    mailOf('a', 'device.up', { ...up, CheckResult: 'HTTP 200' }),
    mailOf('b', 'device.up', { ...up, CheckResult: 'HTTP 200' }),
  ];
  const folder = path.join(dovecot.mailbox, 'new');
  for (const [place, notice] of notices.entries()) {
    const to = { name: 'noc', address: 'noc@real.test', secret: null, previousSecret: null };
    const id = String(place).repeat(48);
    const sending = { id, message: channel.compose([notice], null), to, nowUs: Date.now() * 1000 };
    expect(await channel.send(sending, AbortSignal.timeout(10_000))).toMatchObject({ kind: 'delivered' });
    await vi.waitFor(() => expect(readdirSync(folder)).toHaveLength(place + 1), {
      timeout: 10_000,
      interval: 20,
    });
  }
  const answer = await converse(dovecot.imap, [
    `LOGIN ${login.user} ${login.password}`,
    'SELECT INBOX',
    'THREAD REFERENCES UTF-8 ALL',
    'THREAD ORDEREDSUBJECT UTF-8 ALL',
    'LOGOUT',
  ]);
  const threads = [...answer.matchAll(/^\* THREAD (.*)\r$/gm)].map(([, text = '']) => threadsIn(text));
  const together = [
    [1, 3, 4],
    [2, 5],
  ];
  expect(threads, answer).toEqual([together, together]);
});

/** The numbers of each thread of an answer such as `(1 (3)(4))(2 5)`, whatever stands below which. */
function threadsIn(text: string): readonly (readonly number[])[] {
  const threads: number[][] = [];
  let depth = 0;
  for (const [piece] of text.matchAll(/[()]|\d+/g)) {
    if (piece === '(' && depth === 0) threads.push([]);
    if (piece === '(') depth += 1;
    else if (piece === ')') depth -= 1;
    else threads.at(-1)?.push(Number(piece));
  }
  return threads.map((thread) => thread.toSorted((a, b) => a - b));
}
