import { retryBecause } from '@vantage/testing/retry';
import { describe, expect, test } from 'vitest';
import { listen, probeContract, runTest } from '../../testing/index.ts';
import { hostKey, listenSsh, makeKey, serveSsh } from '../../testing/ssh-server.ts';
import { ssh } from './ssh.ts';
import { fingerprintOf } from './ssh-session.ts';

probeContract({
  probe: ssh,
  serverFirst: true,
  url: (port) => `127.0.0.1:${port}`,
  serve: serveSsh,
  withSecret: (port, secret) => ({
    url: `ssh://probe:${encodeURIComponent(secret)}@127.0.0.1:${port}`,
    options: { Password: secret, Passphrase: secret },
  }),
});

const login = { User: 'probe', Password: 'right' };
const fingerprint = fingerprintOf(hostKey);

describe('SSH', () => {
  test('without a login the keys are exchanged and the host key is reported', async () => {
    await using server = await listenSsh();
    const seen = await runTest(ssh, server.target);
    expect(seen, seen.text).toMatchObject({ code: 1, text: 'SSH-2.0-test' });
    expect(seen.extended).toMatchObject({ Banner: 'SSH-2.0-test', HostKeyFingerprint: fingerprint });
    expect(seen.phases.ttfb).toBeGreaterThan(0);
    expect(seen.phases.ttlb).toBeGreaterThan(0);
    expect(seen.dataSize).toBeGreaterThan(100);
    expect(server.attempts).toEqual([]);
  });

  test('the greeting is TTFB and what follows TTLB', retryBecause('it measures time', 4), async () => {
    const stamps: number[] = [];
    await using server = await listen((socket) => {
      stamps.push(performance.now());
      setTimeout(() => {
        stamps.push(performance.now());
        socket.write('Welcome\r\n');
      }, 60);
      setTimeout(() => {
        stamps.push(performance.now());
        serveSsh(socket);
      }, 160);
    });
    const seen = await runTest(ssh, server.target, {}, { timeoutMs: 5000 });
    const [accepted = 0, greeted = 0, served = 0] = stamps;
    expect(seen, seen.text).toMatchObject({ code: 1 });
    expect(Math.abs(seen.phases.ttfb - (greeted - accepted))).toBeLessThan(20);
    // The greeting may be read late, never early.
    expect(seen.phases.ttlb).toBeGreaterThan(served - greeted - 20);
  });

  test('logs in by password and runs a command', async () => {
    await using server = await listenSsh({
      command: (text, channel) => {
        channel.write(`ran ${text}`);
        channel.exit(0);
        channel.end();
      },
    });
    const options = {
      ...login,
      HostKeyFingerprint: fingerprint,
      Command: 'uptime; -x',
      ExpectOutput: 'ran uptime; -x',
    };
    const seen = await runTest(ssh, server.target, options);
    expect(seen, seen.text).toMatchObject({
      code: 1,
      text: 'SSH-2.0-test, login accepted, command as expected',
    });
    expect(seen.extended).toMatchObject({ Auth: 'password', ExitCode: 0 });
  });

  test('logs in by key', async () => {
    const { pem, parsed } = makeKey();
    await using server = await listenSsh({ key: parsed });
    const seen = await runTest(ssh, `ssh://probe@${server.target}`, { PrivateKey: pem });
    expect(seen, seen.text).toMatchObject({ code: 1, extended: { Auth: 'publickey' } });
    expect(JSON.stringify(seen)).not.toContain(pem.slice(40, 80));
  });

  test('answers a server that asks for the password by a prompt', async () => {
    await using server = await listenSsh({ prompts: true });
    const seen = await runTest(ssh, server.target, login);
    expect(seen, seen.text).toMatchObject({ code: 1, extended: { Auth: 'keyboard-interactive' } });
    expect(server.attempts).toEqual(['password', 'keyboard-interactive']);
  });

  test('ends with 8 where prompts go on for ever', async () => {
    await using server = await listenSsh({ prompts: true });
    const seen = await runTest(ssh, server.target, { ...login, Password: 'wrong' }, { timeoutMs: 20_000 });
    expect(seen, seen.text).toMatchObject({ code: 8 });
  });

  test.each([
    { name: 'a wrong password', options: { ...login, Password: 'wrong' } },
    { name: 'an unknown user', options: { ...login, User: 'nobody' } },
    { name: 'a key that is not known', options: { User: 'probe', PrivateKey: makeKey().pem } },
  ])('$name is 8', async ({ options }) => {
    await using server = await listenSsh();
    const seen = await runTest(ssh, server.target, options);
    expect(seen).toMatchObject({ code: 8 });
    expect(seen.text).toMatch(/^login refused by 127\.0\.0\.1:\d+: .* \(it accepts password, publickey\)$/);
  });

  test.each([
    { options: { Password: 'x' }, text: 'a password or key is set but no user name' },
    { options: { User: 'x' }, text: 'a user name is set but neither Password nor PrivateKey' },
    { options: { Command: 'x' }, text: 'a command needs a login: set User and Password or PrivateKey' },
    {
      options: { User: 'x', PrivateKey: 'nonsense' },
      text: 'the PrivateKey set for this device cannot be used: it is no private key in OpenSSH or PEM form',
    },
  ])('settings that cannot log in are 8: $text', async ({ options, text }) => {
    await using server = await listenSsh();
    expect(await runTest(ssh, server.target, options)).toMatchObject({ code: 8, text });
  });

  test('a foreign host key is 7, and the password is not sent', async () => {
    await using server = await listenSsh();
    const expected = `SHA256:${'A'.repeat(43)}`;
    const seen = await runTest(ssh, server.target, { ...login, HostKeyFingerprint: expected });
    expect(seen).toMatchObject({ code: 7, text: `host key is ${fingerprint}, expected ${expected}` });
    expect(server.attempts).toEqual([]);
  });

  test.each([
    {
      name: 'another output',
      ending: { out: 'red', code: 0 },
      options: { ExpectOutput: 'green' },
      code: 7,
      text: 'expected output with "green", got "red"',
    },
    {
      name: 'a bad exit code',
      ending: { out: '', code: 2 },
      options: {},
      code: 7,
      text: 'expected exit code 0, got 2: "broken"',
    },
    { name: 'the exit code expected', ending: { out: '', code: 2 }, options: { ExpectExitCode: 2 }, code: 1 },
    {
      name: 'a signal',
      ending: { out: '', signal: 'KILL' },
      options: {},
      code: 7,
      text: 'the command was ended by SIGKILL',
    },
  ])('a command with $name is $code', async ({ ending, options, code, text }) => {
    await using server = await listenSsh({
      command: (_text, channel) => {
        channel.write(ending.out);
        channel.stderr.write('broken');
        if (ending.signal === undefined) channel.exit(ending.code ?? 0);
        else channel.exit(ending.signal);
        channel.end();
      },
    });
    const seen = await runTest(ssh, server.target, { ...login, Command: 'check', ...options });
    expect(seen, seen.text).toMatchObject({ code, ...(text && { text }) });
  });

  test('a command that never ends is 2 at the timeout, and its endless output is not kept', async () => {
    await using server = await listenSsh({
      command: (_text, channel) => {
        const more = () =>
          void (channel.write(Buffer.alloc(32_768, 'x')) ? setImmediate(more) : channel.once('drain', more));
        channel.on('error', () => {});
        more();
      },
    });
    const seen = await runTest(ssh, server.target, { ...login, Command: 'yes' }, { timeoutMs: 500 });
    expect(seen).toMatchObject({ code: 2 });
  });

  test('a server that runs no commands is 3', async () => {
    await using server = await listenSsh();
    const seen = await runTest(ssh, server.target, { ...login, Command: 'x' });
    expect(seen, seen.text).toMatchObject({ code: 3 });
    expect(seen.text).toContain('refuses to run a command');
  });

  test.each([
    { bytes: '\0\0', text: 'does not speak SSH 2: it sent a NUL byte before its version' },
    { bytes: 'SSH-1.5-old\r\n', text: 'does not speak SSH 2: it greets with "SSH-1.5-old"' },
    {
      bytes: `${'x'.repeat(5000)}`,
      text: 'does not speak SSH 2: it sent a line over 4 KiB before its version',
    },
  ])('impossible opening bytes are 3 at once: $text', async ({ bytes, text }) => {
    await using server = await listen((socket) => void socket.write(bytes));
    const startedMs = performance.now();
    const seen = await runTest(ssh, server.target, {}, { timeoutMs: 60_000 });
    expect(seen.code).toBe(3);
    expect(seen.text).toBe(`${server.target} ${text}`);
    expect(performance.now() - startedMs).toBeLessThan(30_000);
  });

  test('garbage after the version is 3', async () => {
    await using server = await listen((socket) => void socket.write(`SSH-2.0-x\r\n${'garbage!'.repeat(20)}`));
    const seen = await runTest(ssh, server.target, {}, { timeoutMs: 20_000 });
    expect(seen, seen.text).toMatchObject({ code: 3 });
  });

  test('another banner than expected is 7', async () => {
    await using server = await listenSsh();
    const seen = await runTest(ssh, server.target, { ExpectBanner: 'OpenSSH' });
    expect(seen).toMatchObject({ code: 7, text: 'expected a banner with "OpenSSH", got "SSH-2.0-test"' });
  });
});
