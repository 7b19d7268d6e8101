// Calls of jobs: none that was answered is lost when the controller is killed, and `vantage push` reports a real job.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { programEnv } from '@vantage/kernel/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { repositoryRoot, type System } from '../../harness/system.ts';
import { startSystemOnDatabase } from '../../harness/system-on-database.ts';

let system: System;
beforeAll(async () => {
  system = await startSystemOnDatabase();
}, 300_000);
afterAll(() => system?.[Symbol.asyncDispose]());

const created = z.object({ device_id: z.string(), PushURL: z.string() });
const checkRow = z.looseObject({
  check_id: z.string(),
  ResultCode: z.int(),
  CheckResult: z.string(),
  Values: z.array(z.object({ Label: z.string(), Value: z.number() })).optional(),
});

async function add(Options: object = {}) {
  const body = { Method: 'Push', URL: 'push:', ShortName: 'job', Frequency: 60, Options };
  return created.parse(await system.api.ok('POST', '/devices', body));
}

/** Sends a call; undefined: it was not answered. */
function send(url: string, agent: Agent): Promise<number | undefined> {
  return new Promise((resolve) => {
    const outgoing = request(url, { method: 'POST', agent, timeout: 5_000 }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode));
      answer.on('error', () => resolve(undefined));
    });
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('error', () => resolve(undefined));
    outgoing.end();
  });
}

test('no call that was answered is lost when the controller is killed', { timeout: 300_000 }, async () => {
  const devices = await Promise.all(Array.from({ length: 8 }, () => add()));
  const agent = new Agent({ ca: readFileSync(system.quickstart().ca_file), keepAlive: true });
  const answered = new Map(devices.map(({ device_id }) => [device_id, 0]));
  const ending = new AbortController();
  const jobs = devices.map(async ({ device_id, PushURL }) => {
    while (!ending.signal.aborted) {
      if ((await send(PushURL, agent)) === 200) answered.set(device_id, (answered.get(device_id) ?? 0) + 1);
      // Less than the rate of a token.
      await delay(1_100);
    }
  });
  const total = () => [...answered.values()].reduce((sum, count) => sum + count, 0);
  for (let kill = 0; kill < 3; kill += 1) {
    const before = total();
    await expect.poll(total, { timeout: 100_000 }).toBeGreaterThan(before + devices.length);
    process.kill(system.quickstart().pids.controller, 'SIGKILL');
  }
  const before = total();
  await expect.poll(total, { timeout: 100_000 }).toBeGreaterThan(before + devices.length);
  ending.abort();
  await Promise.all(jobs);
  agent.destroy();
  for (const { device_id } of devices) {
    const checks = z
      .array(checkRow)
      .parse(await system.api.ok('GET', `/devices/${device_id}/checks?Limit=100`));
    expect(checks.every(({ ResultCode }) => ResultCode === 1)).toBe(true);
    expect(checks.length).toBeGreaterThanOrEqual(answered.get(device_id) ?? 0);
  }
});

test('vantage push reports a job, and ends with its status', { timeout: 120_000 }, async () => {
  const { device_id, PushURL } = await add({ MaxRunSeconds: 60 });
  const env = {
    ...programEnv(),
    VANTAGE_PUSH_URL: PushURL,
    VANTAGE_CA: system.quickstart().ca_file,
  };
  const job = ['push', '--output', '--', 'sh', '-c', 'echo from the job; exit 4'];
  const run = promisify(execFile)(path.join(repositoryRoot, 'vantage'), job, { env });
  await expect(run).rejects.toMatchObject({ code: 4, stdout: 'from the job\n', stderr: '' });
  const [check] = z.array(checkRow).parse(await system.api.ok('GET', `/devices/${device_id}/checks`));
  expect(check).toMatchObject({ ResultCode: 4, CheckResult: 'exit status 4: from the job' });
  expect(check?.Values?.[0]).toMatchObject({ Label: 'duration' });
});
