import { createHmac } from 'node:crypto';
import { systemClock } from '@vantage/kernel';
import { expect, test } from 'vitest';
import type { AnyProbe, ProbeContext } from '../contract/probe.ts';
import { runCheck } from '../engine/run.ts';
import { createDial } from '../net/dial.ts';
import { allowAll, listen, probeContract, runTest, speakLines } from '../testing/index.ts';
import { smtp } from './smtp.ts';

const user = 'monitor';
const password = 'sesame-9';
const challenge = Buffer.from('<1896.697170952@mail.example>').toString('base64');

/** A mail server that offers these extensions and knows one user, one sender's domain and one mailbox. */
function mailServer(extensions: readonly string[] = ['PIPELINING', 'AUTH PLAIN LOGIN CRAM-MD5']) {
  const b64 = (text: string) => Buffer.from(text).toString('base64');
  const digest = createHmac('md5', password).update(Buffer.from(challenge, 'base64')).digest('hex');
  const good = [b64(`\0${user}\0${password}`), b64(user), b64(password), b64(`${user} ${digest}`)];
  return speakLines({
    greeting: '220 mail.example ESMTP ready',
    answer(line, said) {
      const [verb = '', ...rest] = line.split(' ');
      switch (verb.toUpperCase()) {
        case 'EHLO':
          return ['mail.example', ...extensions]
            .map((each, i) => `250${i < extensions.length ? '-' : ' '}${each}`)
            .join('\r\n');
        case 'AUTH':
          if (rest[0] === 'CRAM-MD5') return `334 ${challenge}`;
          if (rest[0] === 'LOGIN') return '334 VXNlcm5hbWU6';
          return good.includes(rest[1] ?? '') ? '235 2.7.0 accepted' : '535 5.7.8 bad credentials';
        case 'MAIL':
          return line.endsWith('@blocked.example>') ? '550 5.7.1 go away' : '250 2.1.0 Ok';
        case 'RCPT':
          return line === 'RCPT TO:<post@mail.example>' ? '250 2.1.5 Ok' : '550 5.1.1 no such user';
        case 'QUIT':
          return '221 Bye';
        default: {
          const step = said.slice(said.findLastIndex((each) => each.startsWith('AUTH '))).length;
          if (!good.includes(line)) return '535 5.7.8 bad credentials';
          return step === 1 && line === b64(user) ? '334 UGFzc3dvcmQ6' : '235 2.7.0 accepted';
        }
      }
    },
  });
}

probeContract({
  probe: smtp,
  serve: mailServer(),
  url: (port) => `127.0.0.1:${port}`,
  serverFirst: true,
  withSecret: (port, secret) => ({
    url: `127.0.0.1:${port}`,
    options: { User: 'monitor', Password: secret },
  }),
});

test.each(['Auto', 'PLAIN', 'LOGIN', 'CRAM-MD5'])(
  'a login by %s is accepted, and a wrong password is 8',
  async (Auth) => {
    await using server = await listen(mailServer());
    const good = await runTest(smtp, server.target, { User: user, Password: password, Auth });
    expect(good).toMatchObject({ code: 1, text: '235 2.7.0 accepted' });
    expect(good.extended['Auth']).toBe(Auth === 'Auto' ? 'CRAM-MD5' : Auth);
    const bad = await runTest(smtp, server.target, { User: user, Password: 'wrong', Auth });
    expect(bad).toMatchObject({ code: 8, text: 'login refused: "535 5.7.8 bad credentials"' });
  },
);

test('user and password may stand in the URL', async () => {
  await using server = await listen(mailServer());
  const seen = await runTest(smtp, `smtp://${user}:${password}@${server.target}`);
  expect(seen).toMatchObject({ code: 1, text: '235 2.7.0 accepted' });
});

test.each([
  [{}, 1, '220 mail.example ESMTP ready'],
  [{ ExpectBanner: 'ESMTP' }, 1, '220 mail.example ESMTP ready'],
  [{ ExpectBanner: 'Postfix' }, 7, 'expected a banner with "Postfix", got "mail.example ESMTP ready"'],
  [{ RcptTo: 'post@mail.example' }, 1, '250 2.1.5 Ok'],
  [
    { RcptTo: 'nobody@mail.example' },
    7,
    'recipient not accepted: expected 250, got "550 5.1.1 no such user"',
  ],
  [{ MailFrom: 'a@blocked.example' }, 7, 'sender not accepted: expected 250, got "550 5.7.1 go away"'],
  [{ Password: 'alone' }, 8, 'a password is set but no user name'],
])('with %j the code is %i', async (options, code, text) => {
  await using server = await listen(mailServer());
  expect(await runTest(smtp, server.target, options)).toMatchObject({ code, text });
});

test('a server that refuses everybody is 3, and its text is shown', async () => {
  await using server = await listen(speakLines({ greeting: '554 go away', answer: () => undefined }));
  const seen = await runTest(smtp, server.target);
  expect(seen).toMatchObject({ code: 3, text: 'expected 220, got "554 go away"' });
  expect(seen.extended['Transcript']).toEqual(['< 554 go away']);
});

test('an old server that knows no EHLO is greeted by HELO', async () => {
  const said: string[] = [];
  const answer = (line: string) => {
    said.push(line);
    return line.startsWith('HELO') ? '250 old.example' : '500 what?';
  };
  await using server = await listen(speakLines({ greeting: '220 old', answer }));
  expect(await runTest(smtp, server.target, { Helo: 'probe.example' })).toMatchObject({ code: 1 });
  expect(said.slice(0, 3)).toEqual(['EHLO probe.example', 'HELO probe.example', 'QUIT']);
});

test('a server without STARTTLS is 6, one without AUTH is 8 with advice', async () => {
  await using server = await listen(mailServer(['PIPELINING']));
  const tls = await runTest(smtp, server.target, { TLS: { Mode: 'StartTLS' } });
  expect(tls).toMatchObject({ code: 6, text: `${server.target} does not offer STARTTLS` });
  const auth = await runTest(smtp, server.target, { User: 'a', Password: 'bcd' });
  expect(auth).toMatchObject({ code: 8 });
  expect(auth.text).toContain('offers no AUTH here; many servers do so only under TLS');
});

test('nobody gets a line break into a command', () => {
  for (const key of ['Helo', 'MailFrom', 'RcptTo', 'User', 'Password', 'ExpectBanner']) {
    expect(smtp.options.safeParse({ [key]: 'a@b\r\nDATA' }).success, key).toBe(false);
  }
  expect(smtp.options.safeParse({ RcptTo: 'a@b> SIZE=1' }).success).toBe(false);
  expect(smtp.parseTarget('smtp://a%0d%0aDATA:x@host')).toMatchObject({ ok: false });
  expect(smtp.parseTarget('-oProxy')).toMatchObject({ ok: false });
});

test.each([
  ['mail.example', 25],
  ['smtps://mail.example', 465],
  ['[2001:db8::1]:587', 587],
])('%s means port %i', (url, port) => {
  expect(smtp.parseTarget(url)).toMatchObject({ ok: true, target: { port } });
});

test('a script’s message is sent whole, lines that begin with a dot doubled; a device’s check sends none', async () => {
  const mail: string[] = [];
  await using server = await listen(
    speakLines({
      greeting: '220 ready',
      answer(line, said) {
        if (said.includes('DATA') && !said.includes('.')) {
          mail.push(line);
          return line === '.' ? '250 queued as 7' : undefined;
        }
        return line === 'DATA' ? '354 go on' : '250 ok';
      },
    }),
  );
  const run = (message?: string) => {
    const { signal } = new AbortController();
    const deps = { clock: systemClock, dial: createDial(), signal, policy: allowAll, random: Math.random };
    const asking: AnyProbe = {
      ...smtp,
      run: (context, target, options) => {
        const withMessage: ProbeContext = Object.create(context, { message: { value: message } });
        return smtp.run(withMessage, target, smtp.options.parse(options));
      },
    };
    const found = smtp.parseTarget(server.target);
    if (!found.ok) throw new TypeError(found.message);
    const options = { RcptTo: 'post@mail.example' };
    return runCheck(deps, { probe: asking, target: found.target, options, timeoutMs: 5000 });
  };
  expect(await run('Subject: x\n\n.hidden\n..two\rend')).toMatchObject({ code: 1, text: '250 queued as 7' });
  expect(mail).toEqual(['Subject: x', '', '..hidden', '...two', 'end', '.']);
  expect(await run()).toMatchObject({ code: 1, text: '250 ok' });
  expect(mail).toHaveLength(6);
});
