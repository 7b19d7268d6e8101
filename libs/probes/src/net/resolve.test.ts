import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Clock, systemClock } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createStopwatch } from '../engine/stopwatch.ts';
import { closedPort, type NameReply, serveNames } from '../testing/index.ts';
import { createNames } from './resolve.ts';
import { parseHosts, parseResolvConf } from './resolver-files.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'names-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function resolveHost(
  host: string,
  settings: {
    family?: 'Any' | '4' | '6';
    servers?: string[];
    hosts?: string;
    resolvConf?: string;
    timeoutMs?: number;
    signal?: AbortSignal;
    clock?: Clock;
  },
) {
  const { family = 'Any', servers = [], hosts = '', resolvConf = '', timeoutMs = 2000 } = settings;
  const { signal = new AbortController().signal, clock = systemClock } = settings;
  const [hostsPath, resolvPath] = [path.join(folder, 'hosts'), path.join(folder, 'resolv.conf')];
  await writeFile(hostsPath, hosts);
  await writeFile(resolvPath, resolvConf);
  const names = createNames({ servers, hostsPath, resolvPath });
  const stopwatch = createStopwatch(clock);
  const context = {
    clock,
    signal,
    stopwatch,
    timeoutMs,
    addDetail: () => {},
  };
  const found = await names.resolve(context, host, family).then(
    (addresses) => addresses.map(({ address }) => address),
    (error: unknown) => error,
  );
  return { found, phases: stopwatch.read() };
}

const a = (name: string, data: string) => ({ type: 'A' as const, name, data });
const aaaa = (name: string, data: string) => ({ type: 'AAAA' as const, name, data });

/** A zone of names; others do not exist. */
const zone = (entries: Record<string, NameReply>) =>
  serveNames(
    ({ name, type }) =>
      entries[`${name} ${type}`] ??
      (Object.keys(entries).some((key) => key.startsWith(`${name} `)) ? {} : { rcode: 3 }),
  );

describe('names', () => {
  test('an address needs no resolver and spends no time in dns', async () => {
    expect(await resolveHost('192.0.2.1', {})).toMatchObject({ found: ['192.0.2.1'], phases: { dns: 0 } });
    expect(await resolveHost('2001:db8::1', {})).toMatchObject({ found: ['2001:db8::1'] });
    expect(await resolveHost('192.0.2.1', { family: '6' })).toMatchObject({ found: { code: 5 } });
  });

  test("what reading this machine's own files takes is no DNSTime", async (context) => {
    const hostsPath = path.join(folder, 'slow-hosts');
    if (spawnSync('mkfifo', [hostsPath]).status !== 0) context.skip('there is no mkfifo here');
    const names = createNames({ servers: [], hostsPath, resolvPath: path.join(folder, 'none') });
    const stopwatch = createStopwatch(systemClock);
    const { signal } = new AbortController();
    const startedMs = systemClock.monoMs();
    const asked = { clock: systemClock, signal, stopwatch, timeoutMs: 5000, addDetail: () => {} };
    const found = names.resolve(asked, 'slow.example', 'Any');
    // Who reads a pipe waits for who writes it.
    await systemClock.sleep(300);
    await writeFile(hostsPath, '192.0.2.7 slow.example');
    expect(await found).toMatchObject([{ address: '192.0.2.7' }]);
    expect(systemClock.monoMs() - startedMs - stopwatch.read().dns).toBeGreaterThan(290);
  });

  test.each(['hosts', 'resolv.conf'])(
    'a %s file that cannot be read is code 10 with its reason',
    async (name) => {
      await using server = await zone({ 'w.example A': { answers: [a('w.example', '192.0.2.1')] } });
      // A folder cannot be read as a file, whoever reads it.
      const missing = path.join(folder, 'none');
      const places = { hostsPath: name === 'hosts' ? folder : missing, resolvPath: missing };
      if (name !== 'hosts') places.resolvPath = folder;
      const names = createNames({ servers: [server.target], ...places });
      const stopwatch = createStopwatch(systemClock);
      const { signal } = new AbortController();
      const asked = { clock: systemClock, signal, stopwatch, timeoutMs: 20_000, addDetail: () => {} };
      const message = `this agent cannot read ${folder}: EISDIR`;
      await expect(names.resolve(asked, 'w.example', 'Any')).rejects.toMatchObject({
        code: 10,
        message: expect.stringContaining(message),
      });
      // An address needs no files.
      expect(await names.resolve(asked, '192.0.2.1', 'Any')).toHaveLength(1);
    },
  );

  test('files that do not exist are empty ones', async () => {
    await using server = await zone({ 'w.example A': { answers: [a('w.example', '192.0.2.1')] } });
    const missing = path.join(folder, 'none');
    const names = createNames({ servers: [server.target], hostsPath: missing, resolvPath: missing });
    const stopwatch = createStopwatch(systemClock);
    const { signal } = new AbortController();
    const asked = { clock: systemClock, signal, stopwatch, timeoutMs: 20_000, addDetail: () => {} };
    expect(await names.resolve(asked, 'w.example', 'Any')).toMatchObject([{ address: '192.0.2.1' }]);
  });

  test('both families alternate, IPv6 first, or only the one asked for', async () => {
    await using server = await zone({
      'w.example A': { answers: [a('w.example', '192.0.2.1'), a('w.example', '192.0.2.2')] },
      'w.example AAAA': { answers: [aaaa('w.example', '2001:db8::1')] },
    });
    const servers = [server.target];
    const both = await resolveHost('w.example', { servers });
    expect(both.found).toEqual([
      '2001:db8::1',
      expect.stringContaining('192.0.2.'),
      expect.stringContaining('192.0.2.'),
    ]);
    expect(both.phases.dns).toBeGreaterThan(0);
    expect(await resolveHost('w.example', { servers, family: '6' })).toMatchObject({
      found: ['2001:db8::1'],
    });
    expect((await resolveHost('w.example', { servers, family: '4' })).found).toHaveLength(2);
  });

  test('a slow IPv6 answer is waited for 50 ms only (RFC 8305)', async () => {
    await using server = await zone({
      'w.example A': { answers: [a('w.example', '192.0.2.1')] },
      'w.example AAAA': { answers: [aaaa('w.example', '2001:db8::1')], delayMs: 3_600_000 },
    });
    const clock = createFakeClock();
    const running = resolveHost('w.example', { servers: [server.target], clock });
    await vi.waitFor(() => expect(server.questions).toHaveLength(2), { timeout: 60_000, interval: 2 });
    await clock.advance(50);
    expect(await running).toMatchObject({ found: ['192.0.2.1'], phases: { dns: 50 } });
  });

  test.each([
    [{ rcode: 3 }, 5, 'w.example does not exist (NXDOMAIN)'],
    [{ rcode: 2 }, 5, 'the resolver failed on w.example (SERVFAIL)'],
    [{ rcode: 5 }, 5, 'the resolver refuses to look up w.example (REFUSED)'],
    [{}, 5, 'w.example has no address'],
  ])('the answer %o is %i', async (reply, code, message) => {
    await using server = await serveNames(() => reply);
    expect(await resolveHost('w.example', { servers: [server.target] })).toMatchObject({
      found: { code, message },
    });
  });

  test("silence is the agent's, unless its resolver answers about the root", async () => {
    await using dead = await serveNames(() => undefined);
    const none = await resolveHost('w.example', { servers: [dead.target], timeoutMs: 800 });
    expect(none.found).toMatchObject({
      code: 10,
      message: `none of this agent's resolvers answers (asked ${dead.target} about w.example)`,
    });
    await using alive = await serveNames(({ name }) => (name === 'w.example' ? undefined : {}));
    const silent = await resolveHost('w.example', { servers: [alive.target], timeoutMs: 12_000 });
    expect(silent.found).toMatchObject({ code: 5 });
    expect(silent.phases.dns).toBeLessThan(12_000);
  });

  test("a resolver that is not there at all is the agent's fault at once", async () => {
    expect(await resolveHost('w.example', { servers: [`127.0.0.1:${closedPort}`] })).toMatchObject({
      found: { code: 10 },
    });
  });

  test('a check that is over before its files are read leaves no failure behind that would end the process', async () => {
    const over = new Error('over');
    const unhandled: unknown[] = [];
    const keep = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', keep);
    await using server = await zone({ 'w.example A': { answers: [a('w.example', '192.0.2.1')] } });
    const seen = await resolveHost('w.example', {
      servers: [server.target],
      signal: AbortSignal.abort(over),
    });
    expect(seen.found).toBe(over);
    // The query that was on its way is answered before this one is.
    await resolveHost('w.example', { servers: [server.target] });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', keep);
    expect(unhandled).toEqual([]);
  });

  test('the hosts file comes first, localhost never goes on the wire', async () => {
    const hosts = '# mine\n192.0.2.7 box.example box # comment\n2001:db8::7 box\n';
    expect(await resolveHost('box', { hosts })).toMatchObject({ found: ['2001:db8::7', '192.0.2.7'] });
    expect(await resolveHost('box.example', { hosts })).toMatchObject({ found: ['192.0.2.7'] });
    expect(await resolveHost('localhost', { family: '4' })).toMatchObject({ found: ['127.0.0.1'] });
    const half = '127.0.0.1 localhost\n';
    expect(await resolveHost('localhost', { hosts: half })).toMatchObject({ found: ['127.0.0.1'] });
    expect(await resolveHost('localhost', { hosts: half, family: '6' })).toMatchObject({ found: ['::1'] });
  });

  test('a short name is searched in the domains of resolv.conf', async () => {
    await using server = await zone({
      'box.inner.example A': { answers: [a('box.inner.example', '192.0.2.8')] },
    });
    const resolvConf = 'search outer.example inner.example\n';
    expect(await resolveHost('box', { servers: [server.target], resolvConf })).toMatchObject({
      found: ['192.0.2.8'],
    });
    const seen = await resolveHost('none', { servers: [server.target], resolvConf });
    expect(seen.found).toMatchObject({ code: 5, message: 'none does not exist (NXDOMAIN)' });
  });
});

test('resolver files are read with comments, aliases and options', () => {
  expect(parseHosts('127.0.0.1 a b\nnonsense c\n').get('b')).toEqual(['127.0.0.1']);
  expect(parseResolvConf('nameserver 10.0.0.2\nsearch x y ; z\noptions timeout:1 ndots:3')).toEqual({
    search: ['x', 'y'],
    ndots: 3,
  });
});
