import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { listen, probeContract, runTest } from '../../testing/index.ts';
import { telnet } from './telnet.ts';

const user = 'monitor';
const password = 'sesame-9';
const DO_TTYPE = Buffer.from([255, 253, 24]);
const WILL_ECHO = Buffer.from([255, 251, 1]);

/** A machine that negotiates, asks for user and password and gives a shell; it hands over the bytes it got. */
function machine(
  after = { good: '\r\nWelcome. 2 failed logins.\r\n$ ', bad: '\r\nLogin incorrect\r\nlogin: ' },
) {
  const got: Buffer[] = [];
  const serve = (socket: Socket) => {
    let stage = 0;
    let held = '';
    socket.write(Buffer.concat([DO_TTYPE, WILL_ECHO, DO_TTYPE, Buffer.from('old.example\r\nlogin: ')]));
    socket.on('data', (chunk) => {
      got.push(chunk);
      held += chunk.toString('latin1').replace(/\xff[\xfb-\xfe]./gs, '');
      for (let end = held.indexOf('\r\n'); end >= 0; end = held.indexOf('\r\n')) {
        const line = held.slice(0, end);
        held = held.slice(end + 2);
        stage += 1;
        if (stage === 1) socket.write('monitor\r\nPassword: ');
        else socket.write(line === password ? after.good : after.bad);
      }
    });
  };
  return { serve, got };
}

probeContract({
  probe: telnet,
  serve: machine().serve,
  url: (port) => `127.0.0.1:${port}`,
  options: { ExpectBanner: 'login:' },
  serverFirst: true,
  withSecret: (port, secret) => ({
    url: `127.0.0.1:${port}`,
    options: { User: 'monitor', Password: secret },
  }),
});

test('the first text of a server is a good check', async () => {
  await using server = await listen((socket) => void socket.write('hello\r\nlogin: '));
  const seen = await runTest(telnet, server.target);
  expect(seen).toMatchObject({ code: 1, text: `${server.target} says "login:"` });
});

test('options are refused, each once', async () => {
  const { serve, got } = machine();
  await using server = await listen(serve);
  const seen = await runTest(telnet, server.target, { User: user, Password: password });
  expect(seen).toMatchObject({ code: 1, text: 'logged in, prompt "$"', extended: { OptionsRefused: 2 } });
  const bytes = Buffer.concat(got);
  expect(bytes.subarray(0, 6)).toEqual(Buffer.from([255, 252, 24, 255, 254, 1]));
  expect(bytes.includes(255, 6)).toBe(false);
});

test.each([
  [{ User: user, Password: 'wrong' }, 8, 'Login incorrect'],
  [{ User: user, Password: password, ExpectPrompt: '$ ' }, 1, 'logged in'],
  [{ ExpectBanner: 'old.example' }, 1, 'login:'],
  [{ ExpectPrompt: 'login:' }, 1, 'login:'],
  [{ LoginPrompt: 'login:', PasswordPrompt: 'Password:', User: user, Password: password }, 1, 'logged in'],
])('with %j the code is %i', async (options, code, text) => {
  await using server = await listen(machine().serve);
  const seen = await runTest(telnet, server.target, options);
  expect(seen, seen.text).toMatchObject({ code });
  expect(seen.text).toContain(text);
});

test('a banner that never comes is 7 when something else was said', async () => {
  await using server = await listen(machine().serve);
  const seen = await runTest(telnet, server.target, { ExpectBanner: 'Cisco' }, { timeoutMs: 2_000 });
  expect(seen).toMatchObject({ code: 7, text: 'expected "Cisco", got "old.example\\r\\nlogin:"' });
});

test('a machine that hangs up after a wrong password is 8', async () => {
  await using server = await listen((socket) => {
    socket.write('Username: ');
    socket.once('data', () => {
      socket.write('Password: ');
      socket.once('data', () => socket.end('% Bad passwords\r\n'));
    });
  });
  const seen = await runTest(telnet, server.target, { User: 'x', Password: 'yyyy' });
  expect(seen).toMatchObject({ code: 8, text: 'login refused: "% Bad passwords"' });
});

test('subnegotiations and doubled IACs are not text', async () => {
  const bytes = Buffer.from([255, 250, 24, 1, 255, 255, 255, 240, 65, 255, 255, 66, 255, 241, 67, 13, 0, 10]);
  await using server = await listen((socket) => void socket.write(bytes));
  const seen = await runTest(telnet, server.target, { ExpectBanner: 'BC' });
  expect(seen).toMatchObject({ code: 1, text: `${server.target} says "AÿBC"` });
});

test('user names with line breaks are refused, ports are the protocol’s', () => {
  expect(telnet.options.safeParse({ User: 'a\r\nreboot' }).success).toBe(false);
  expect(telnet.parseTarget('host')).toMatchObject({ ok: true, target: { port: 23 } });
  expect(telnet.parseTarget('telnets://host')).toMatchObject({ ok: true, target: { port: 992 } });
  expect(telnet.parseTarget('-froot')).toMatchObject({ ok: false });
});
