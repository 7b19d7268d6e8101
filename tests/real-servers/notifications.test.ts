import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { createEmail } from '../../apps/controller/src/notify/channels/email.ts';
import { fullNotice } from '../../apps/controller/src/notify/testing/channel-contract.ts';
import { login, prepareGround, serversMissing } from './ground.ts';
import { startDovecot, startPostfix } from './mail-servers.ts';

test('e-mails arrive at Postfix: by STARTTLS and a login, by implicit TLS, under one Message-ID; a wrong password and an unknown certificate are named', async (context) => {
  const missing = serversMissing('postfix', 'dovecot-imapd');
  if (missing !== undefined) return context.skip(missing);
  await using ground = await prepareGround();
  await using dovecot = await startDovecot(ground, ground.certificates.good);
  await using postfix = await startPostfix(ground, ground.certificates.good, dovecot.authSocket);
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
    ...{ kind: 'again', text: '127.0.0.1 answered SMTP 535 to AUTH' },
  });
  expect(await send(`smtp://127.0.0.1:${postfix.port}`, 'noc@real.test')).toMatchObject({
    text: '127.0.0.1 has a certificate that nobody trusts',
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
