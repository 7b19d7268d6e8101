// The example that sends a mail through Postfix and finds it in Dovecot.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '@vantage/kernel';
import { createDial, runProbe, specOf } from '@vantage/probes';
import { allowAll } from '@vantage/probes/testing';
import { expect, test } from 'vitest';
import { startDovecot, startPostfix } from './mail-servers.ts';
import { createServersFixture, login, serversMissing } from './servers-fixture.ts';

test('the mail round trip goes through Postfix and Dovecot, and leaves no mail behind', async ({ skip }) => {
  const missing = serversMissing('postfix', 'dovecot-imapd');
  if (missing !== undefined) return skip(missing);
  await using fixture = await createServersFixture();
  const { good, ca } = fixture.certificates;
  await using dovecot = await startDovecot(fixture, good);
  await using postfix = await startPostfix(fixture, good, dovecot.authSocket);
  const example = readFileSync(
    path.join(import.meta.dirname, '../../docs/script/mail-round-trip.js'),
    'utf8',
  );
  const places: Readonly<Record<string, string>> = {
    "host: 'smtp.example', port: 587": `host: '127.0.0.1', port: ${postfix.port}`,
    "mode: 'StartTLS'": `mode: 'StartTLS', ca: ${JSON.stringify(ca)}`,
    "host: 'imap.example', port: 993": `host: '127.0.0.1', port: ${dovecot.imaps}, ca: ${JSON.stringify(ca)}`,
    'monitor@mail.example': `${login.user}@real.test`,
  };
  const text = Object.entries(places).reduce((left, [from, to]) => {
    expect(left).toContain(from);
    return left.replaceAll(from, () => to);
  }, example);
  const run = async (password: string) => {
    const spec = specOf({ method: 'Script', url: text, timeoutMs: 60_000, options: {} });
    spec.secrets['MAIL_PASSWORD'] = password;
    const { signal } = new AbortController();
    const deps = { clock: systemClock, dial: createDial(), signal, policy: allowAll, random: Math.random };
    return runProbe({ ...deps, spec });
  };
  const mails = () =>
    ['new', 'cur'].flatMap((name) => {
      const folder = path.join(dovecot.mailbox, name);
      return existsSync(folder) ? readdirSync(folder) : [];
    });

  const seen = await run(login.password);
  expect(seen, JSON.stringify(seen)).toMatchObject({
    code: 1,
    extended: {
      Steps: [
        { Name: 'send', Ok: true, Calls: [{ Function: 'smtp', ResultCode: 1 }] },
        { Name: 'arrive', Ok: true },
        { Name: 'remove', Ok: true },
      ],
    },
  });
  expect(mails()).toEqual([]);
  const refused = await run('wrong-password');
  expect(refused).toMatchObject({ code: 8 });
  for (const each of [seen, refused])
    expect(JSON.stringify(each)).not.toMatch(new RegExp(`${login.password}|wrong-password`));
});
