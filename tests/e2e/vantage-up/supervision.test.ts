import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { programEnv } from '@vantage/kernel/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { repositoryRoot } from '../../harness/system.ts';
import { start, system } from './system.ts';

const greets = () =>
  system.api.call('GET', '/hello').then(
    ({ status }) => status === 200,
    () => false,
  );
const isAlive = (pid: number) => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
const postmaster = () => {
  try {
    return Number(
      readFileSync(path.join(system.dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0],
    );
  } catch {
    return 0;
  }
};
const lock = () =>
  z
    .object({ owner: z.object({ pid: z.int() }) })
    .parse(JSON.parse(readFileSync(path.join(system.dataDir, 'up.lock'), 'utf8')));
const soon = { timeout: 60_000, interval: 100 };

test('only its owner can read quickstart.json, and it has every field', () => {
  const mode = statSync(path.join(system.dataDir, 'quickstart.json')).mode & 0o777;
  expect(mode).toBe(0o600);
  expect(system.quickstart()).toEqual({
    base_url: expect.stringMatching(/^https:\/\/localhost:\d+\/v1\.1$/),
    ca_file: path.join(system.dataDir, 'tls/ca.pem'),
    api_key_uw: expect.stringMatching(/^[0-9a-f]{64}$/),
    api_key_ur: expect.stringMatching(/^[0-9a-f]{64}$/),
    agent_endpoint: expect.stringMatching(/^https:\/\/localhost:\d+$/),
    dashboard_url: expect.stringMatching(/^https:\/\/localhost:\d+\/$/),
    database_url: expect.stringMatching(/^postgresql:/),
    pids: { controller: expect.any(Number), agent: expect.any(Number) },
  });
});

// The events' test kills the controller, and waits for the new process and for its answers.
test('the supervisor restarts a killed agent, and quickstart.json names the new process', async () => {
  const before = system.quickstart().pids.agent;
  process.kill(before, 'SIGKILL');
  await expect.poll(() => system.quickstart().pids.agent, soon).not.toBe(before);
  await expect.poll(greets, soon).toBe(true);
});

test('the controller restarts a killed database', async () => {
  const before = postmaster();
  process.kill(before, 'SIGKILL');
  await expect.poll(() => [0, before].includes(postmaster()), soon).toBe(false);
  await expect.poll(() => system.api.call('GET', '/devices').then(({ status }) => status), soon).toBe(200);
});

test('a second start with the same data folder ends with a reason', async () => {
  const env = { ...programEnv(), VANTAGE_DATA: system.dataDir };
  const said = await new Promise<string>((resolve) =>
    execFile(path.join(repositoryRoot, 'vantage'), ['up'], { env }, (error, _out, err) =>
      resolve(`${error?.code} ${err}`),
    ),
  );
  expect(said).toMatch(/^1 .*a system already runs on/);
  expect(await greets()).toBe(true);
});

test('after kill -9 of the supervisor the next start continues with all data', async () => {
  const before = system.quickstart();
  const created = z
    .object({ tag_id: z.string() })
    .parse(await system.api.ok('POST', '/tags', { Name: 'kept' }));
  process.kill(lock().owner.pid, 'SIGKILL');
  system.api.close();
  await start();
  const after = system.quickstart();
  expect([after.api_key_uw, after.api_key_ur]).toEqual([before.api_key_uw, before.api_key_ur]);
  expect(await system.api.ok('GET', `/tags/${created.tag_id}`)).toMatchObject({ Name: 'kept' });
});

test('SIGTERM ends every process within 8 s, also the database', async () => {
  const { controller, agent } = system.quickstart().pids;
  const pids = [controller, agent, postmaster(), lock().owner.pid];
  expect(pids.map(isAlive)).toEqual([true, true, true, true]);
  expect(await system.stop()).toBeLessThan(8_000);
  expect(pids.map(isAlive)).toEqual([false, false, false, false]);
});
