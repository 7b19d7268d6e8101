import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { listen, probeContract, runTest, speakLines } from '../testing/index.ts';
import { pop3 } from './pop3.ts';

const user = 'monitor';
const password = 'sesame-9';
const stamp = '<1896.697170952@pop.example>';

function postOffice(greeting = '+OK pop.example ready') {
  const digest = createHash('md5').update(`${stamp}${password}`).digest('hex');
  return speakLines({
    greeting,
    answer(line) {
      const [verb = ''] = line.split(' ');
      switch (verb) {
        case 'USER':
          return '+OK send PASS';
        case 'PASS':
          return line === `PASS ${password}` ? '+OK logged in' : '-ERR [AUTH] no';
        case 'APOP':
          return line === `APOP ${user} ${digest}` ? '+OK logged in' : '-ERR no';
        case 'STAT':
          return '+OK 3 4711';
        case 'QUIT':
          return '+OK bye';
        default:
          return '-ERR what?';
      }
    },
  });
}

probeContract({
  probe: pop3,
  serve: postOffice(),
  url: (port) => `127.0.0.1:${port}`,
  serverFirst: true,
  withSecret: (port, secret) => ({
    url: `127.0.0.1:${port}`,
    options: { User: 'monitor', Password: secret },
  }),
});

test.each([
  ['USER and PASS', '+OK hello', 'Auto', 'USER'],
  ['APOP where the greeting has a time stamp', `+OK hello ${stamp}`, 'Auto', 'APOP'],
  ['USER when asked for', `+OK hello ${stamp}`, 'USER', 'USER'],
])('it logs in by %s', async (_how, greeting, Auth, used) => {
  await using server = await listen(postOffice(greeting));
  const seen = await runTest(pop3, server.target, { User: user, Password: password, Auth });
  expect(seen).toMatchObject({
    code: 1,
    text: '+OK 3 4711',
    extended: { Auth: used, Messages: 3, MailboxBytes: 4711 },
  });
});

test.each([
  [{}, 1, '+OK pop.example ready'],
  [{ ExpectBanner: 'pop.example' }, 1, '+OK pop.example ready'],
  [{ ExpectBanner: 'Dovecot' }, 7, 'expected a banner with "Dovecot", got "+OK pop.example ready"'],
  [{ User: user, Password: 'wrong' }, 8, 'login refused: "-ERR [AUTH] no"'],
  [{ TLS: { Mode: 'StartTLS' } }, 6, 'refused STARTTLS: "-ERR what?"'],
])('with %j the code is %i', async (options, code, text) => {
  await using server = await listen(postOffice());
  const seen = await runTest(pop3, server.target, options);
  expect(seen).toMatchObject({ code });
  expect(seen.text).toContain(text);
});

test('APOP that is not offered or refused says what to do', async () => {
  await using without = await listen(postOffice());
  const none = await runTest(pop3, without.target, { User: user, Password: password, Auth: 'APOP' });
  expect(none).toMatchObject({ code: 8 });
  expect(none.text).toContain('offers no APOP');
  await using server = await listen(postOffice(`+OK ${stamp}`));
  const refused = await runTest(pop3, server.target, { User: user, Password: 'wrong' });
  expect(refused).toMatchObject({ code: 8 });
  expect(refused.text).toContain('set Auth to USER');
});

test('a greeting that is none is 3 at once', async () => {
  await using server = await listen(speakLines({ greeting: '-ERR too busy', answer: () => undefined }));
  const seen = await runTest(pop3, server.target);
  expect(seen).toMatchObject({ code: 3, text: 'expected +OK, got "-ERR too busy"' });
});

test.each([
  ['pop.example', 110],
  ['pop3s://pop.example', 995],
])('%s means port %i', (url, port) => {
  expect(pop3.parseTarget(url)).toMatchObject({ ok: true, target: { port } });
});
