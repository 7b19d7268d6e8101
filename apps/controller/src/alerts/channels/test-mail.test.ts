import { createServer, type Socket } from 'node:net';
import { closedPort } from '@vantage/probes/testing';
import { startFakeMailServer } from '@vantage/testing/fake-mail-server';
import { expect, test } from 'vitest';
import { testMail } from './test-mail.ts';

const signal = new AbortController().signal;
const to = 'noc@example.org';
const mailFrom = 'Vantage <vantage@example.org>';
const states = async (smtpUrl: string) => {
  const steps = await testMail({ smtpUrl, mailFrom, to }, signal);
  expect(steps.map(({ step }) => step)).toEqual(['Name', 'Connect', 'TLS', 'Login', 'Accepted']);
  return steps;
};

/** A server that answers each line with the answer for its verb. */
async function startServer(answers: Readonly<Record<string, string>>, greeting: string | undefined) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    if (greeting !== undefined) socket.write(`${greeting}\r\n`);
    socket.on('data', (data) => {
      const verb = String(data).slice(0, 4).toUpperCase();
      socket.write(`${answers[verb] ?? '250 ok'}\r\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('a good server passes each step, and the mail arrives', async () => {
  await using server = await startFakeMailServer();
  const url = server.url.replace('://127.0.0.1', '://me:secret@localhost');
  const steps = await states(`${url}?ignoreTLS=true`);
  expect(steps.map(({ state }) => state)).toEqual(['Passed', 'Passed', 'Skipped', 'Passed', 'Passed']);
  expect(steps[0]?.text).toMatch(/^localhost is (127\.0\.0\.1|::1)$/);
  expect(server.messages).toHaveLength(1);
  expect(server.messages[0]?.to).toContain(to);
  expect(server.messages[0]?.data).toContain('Your Vantage can send e-mails');
});

test('the first step that fails says why, and the others are not reached', async () => {
  const noName = await states('smtp://no-such-host.invalid:25');
  expect(noName.map(({ state }) => state)).toEqual([
    'Failed',
    'NotReached',
    'NotReached',
    'NotReached',
    'NotReached',
  ]);
  expect(noName[0]?.text).toMatch(/no-such-host\.invalid is a name that/);
  const refused = await states(`smtp://127.0.0.1:${closedPort}`);
  expect(refused.map(({ state }) => state)).toEqual([
    'Skipped',
    'Failed',
    'NotReached',
    'NotReached',
    'NotReached',
  ]);
  expect(refused[1]?.text).toBe('127.0.0.1 refuses the connection');
});

test('a server that is no mail server fails at the connection', async () => {
  await using server = await startServer({}, 'HTTP/1.1 400 Bad Request');
  const steps = await states(`smtp://127.0.0.1:${server.port}?ignoreTLS=true`);
  expect(steps[1]).toMatchObject({ step: 'Connect', state: 'Failed' });
  expect(steps[2]).toMatchObject({ step: 'TLS', state: 'NotReached' });
});

test('a server without STARTTLS fails at TLS, if it is required', async () => {
  await using server = await startServer({ EHLO: '250 mail', STAR: '502 not here' }, '220 mail');
  const steps = await states(`smtp://127.0.0.1:${server.port}?requireTLS=true`);
  expect(steps.slice(0, 3).map(({ state }) => state)).toEqual(['Skipped', 'Passed', 'Failed']);
  expect(steps[2]?.text).toContain('502 not here');
});

test('a refused login says what the server said, but never repeats the password', async () => {
  for (const [words, shown] of [
    ['535 5.7.8 bad credentials', '127.0.0.1 answered 535 5.7.8 bad credentials'],
    ['535 wrong: hunter2-secret', '127.0.0.1 answered 535'],
  ] as const) {
    await using server = await startServer({ EHLO: '250-mail\r\n250 AUTH PLAIN', AUTH: words }, '220 mail');
    const steps = await states(`smtp://me:hunter2-secret@127.0.0.1:${server.port}?ignoreTLS=true`);
    expect(steps[3]).toMatchObject({ step: 'Login', state: 'Failed', text: shown });
    expect(steps[4]?.state).toBe('NotReached');
    expect(JSON.stringify(steps)).not.toContain('hunter2-secret');
  }
});

test('a mail that the server does not want fails at the last step', async () => {
  await using server = await startFakeMailServer({ rcpt: '550 no such mailbox' });
  const steps = await states(`${server.url}?ignoreTLS=true`);
  expect(steps.at(-1)).toMatchObject({ step: 'Accepted', state: 'Failed' });
  expect(steps.at(-1)?.text).toContain('550 no such mailbox');
});
