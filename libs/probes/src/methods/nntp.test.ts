import { expect, test } from 'vitest';
import { listen, probeContract, runTest, speakLines } from '../testing/index.ts';
import { nntp } from './nntp.ts';

const user = 'monitor';
const password = 'sesame-9';

function newsServer(greeting = '200 news.example ready', modeReader = '200 reader') {
  return speakLines({
    greeting,
    answer(line, said) {
      switch (line) {
        case 'MODE READER':
          return modeReader;
        case `AUTHINFO USER ${user}`:
          return '381 password';
        case 'AUTHINFO USER free':
          return '281 welcome';
        case 'AUTHINFO USER clear':
          return '483 encryption required';
        case `AUTHINFO PASS ${password}`:
          return '281 welcome';
        case 'GROUP misc.test':
          return '211 1234 3000234 3002322 misc.test';
        case 'GROUP members.only':
          return said.includes(`AUTHINFO PASS ${password}`) ? '211 0 1 0 members.only' : '480 who are you?';
        case 'QUIT':
          return '205 bye';
        default:
          return line.startsWith('AUTHINFO')
            ? '481 no'
            : line.startsWith('GROUP')
              ? '411 no such group'
              : '500 what?';
      }
    },
  });
}

probeContract({
  probe: nntp,
  serve: newsServer(),
  url: (port) => `127.0.0.1:${port}`,
  serverFirst: true,
  withSecret: (port, secret) => ({
    url: `127.0.0.1:${port}`,
    options: { User: 'monitor', Password: secret },
  }),
});

test.each([
  [{}, 1, '200 news.example ready'],
  [{ ExpectBanner: 'news.example' }, 1, '200 news.example ready'],
  [{ ExpectBanner: 'INN' }, 7, 'expected a banner with "INN", got "200 news.example ready"'],
  [{ User: user, Password: password }, 1, '281 welcome'],
  [{ User: 'free' }, 1, '281 welcome'],
  [{ User: user, Password: 'wrong' }, 8, 'login refused: "481 no"'],
  [
    { User: 'clear', Password: 'x' },
    8,
    'login refused: "483 encryption required"; set TLS Mode to StartTLS or Implicit',
  ],
  [{ Group: 'misc.test' }, 1, '211 1234 3000234 3002322 misc.test'],
  [{ Group: 'no.such' }, 7, 'group "no.such" does not exist: "411 no such group"'],
  [{ Group: 'members.only' }, 8, 'login refused: "480 who are you?"; this group needs User and Password'],
  [{ Group: 'members.only', User: user, Password: password }, 1, '211 0 1 0 members.only'],
])('with %j the code is %i', async (options, code, text) => {
  await using server = await listen(newsServer());
  expect(await runTest(nntp, server.target, options)).toMatchObject({ code, text });
});

test('a server that knows no MODE READER is read from all the same', async () => {
  await using server = await listen(newsServer('201 read only', '500 what?'));
  const seen = await runTest(nntp, server.target, { Group: 'misc.test' });
  expect(seen).toMatchObject({ code: 1, extended: { Articles: 1234, PostingAllowed: false } });
});

test('a server that turns everybody away is 3, one without STARTTLS is 6', async () => {
  await using shut = await listen(newsServer('400 come back later'));
  expect(await runTest(nntp, shut.target)).toMatchObject({
    code: 3,
    text: 'expected 200 or 201, got "400 come back later"',
  });
  await using server = await listen(newsServer());
  const seen = await runTest(nntp, server.target, { TLS: { Mode: 'StartTLS' } });
  expect(seen).toMatchObject({ code: 6, text: `${server.target} refused STARTTLS: "500 what?"` });
});

test('a group is one word, and ports are the protocol’s', () => {
  expect(nntp.options.safeParse({ Group: 'a\r\nQUIT' }).success).toBe(false);
  expect(nntp.options.safeParse({ Group: 'a b' }).success).toBe(false);
  expect(nntp.parseTarget('news.example')).toMatchObject({ ok: true, target: { port: 119 } });
  expect(nntp.parseTarget('nntps://news.example')).toMatchObject({ ok: true, target: { port: 563 } });
});
