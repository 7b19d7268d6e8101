// An agent's process stands still (SIGSTOP, like a suspended host) and goes on. It must make no burst of checks and no
// false timeout, and must not report coverage for the time in which it ran no checks.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { specOf } from '@vantage/probes';
import type { Assignment, CheckResult } from '@vantage/proto';
import { expect, test } from 'vitest';
import type { FakeController } from '../../apps/agent/src/testing/fake-controller.ts';
import { openPost, resultsOf, tcpAssignment } from './lone-agent.ts';

const devices = 100;
const intervalMs = 5000;
/** The target answers after this time, so that checks are running at any moment of the stop. */
const answerMs = 800;
const perSecond = (devices * 1000) / intervalMs;
const underWay = (perSecond * answerMs) / 1000;

test.each([2500, 35_000, 60_000])(
  'an agent that stands still for %i ms makes no burst, no false timeout and no false coverage',
  { timeout: 240_000 },
  async (stillMs) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'vantage-stall-'));
    const hits: number[] = [];
    const server = createServer((socket) => {
      hits.push(Date.now());
      socket.on('error', () => socket.destroy());
      setTimeout(() => socket.end('220 ready\r\n'), answerMs);
    });
    try {
      await using post = await openPost(folder, assignmentsOf(await listening(server)));
      const agent = post.start();
      const { controller } = post;
      await controller.until(() => resultsOf(controller).length > 2 * devices);
      const stoppedAt = Date.now();
      process.kill(agent.pid, 'SIGSTOP');
      await delay(stillMs);
      const resumedAt = Date.now();
      process.kill(agent.pid, 'SIGCONT');
      await delay(20_000);
      await agent.end('SIGTERM');
      expectNoBurst(hits, stoppedAt, resumedAt);
      expectNoFalseTimeout(resultsOf(controller));
      expectCoverage(controller, stoppedAt, resumedAt);
    } finally {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

function assignmentsOf(port: number): Assignment[] {
  const spec = specOf({
    method: 'TCP',
    url: `127.0.0.1:${port}`,
    timeoutMs: 2000,
    options: { Steps: [{ Expect: '220' }] },
  });
  return Array.from({ length: devices }, (_, i) =>
    tcpAssignment(i + 1, port, { spec, intervalMs, scheduleOffsetMs: (i * intervalMs) / devices }),
  );
}

/** `hits` are the times of the checks that reached the server. */
function expectNoBurst(hits: readonly number[], stoppedAt: number, resumedAt: number): void {
  const stillMs = resumedAt - stoppedAt;
  const after = hits.filter((at) => at >= resumedAt);
  const maxInASecond = Math.max(
    ...after.map((from) => after.filter((at) => at >= from && at < from + 1000).length),
  );
  const figures = { maxInASecond, normal: perSecond, hitsAfter: after.length };
  process.stdout.write(`still for ${stillMs} ms: ${JSON.stringify(figures)}\n`);
  expect(hits.filter((at) => at > stoppedAt + 500 && at < resumedAt)).toEqual([]);
  const catchUp = stillMs < 5000 ? (stillMs / 1000) * perSecond : 0;
  expect(maxInASecond).toBeLessThanOrEqual(2 * perSecond + underWay + catchUp);
  expect(after.length).toBeGreaterThan(15 * perSecond);
}

function expectNoFalseTimeout(results: readonly CheckResult[]): void {
  const bad = results.filter(({ resultCode }) => resultCode !== 1);
  expect(bad.map(({ resultCode, checkResult }) => ({ resultCode, checkResult }))).toEqual([]);
  const longest = Math.max(...results.map((each) => each.connectMs + each.ttfbMs + each.ttlbMs));
  expect(longest).toBeLessThan(2000);
}

/** The agent covers the time after the stall, and after a long stall not the time within it. */
function expectCoverage(controller: FakeController, stoppedAt: number, resumedAt: number): void {
  const covered = controller.records.flatMap(({ record }) =>
    record.case === 'coverage'
      ? [{ from: Number(record.value.fromUs) / 1000, to: Number(record.value.toUs) / 1000 }]
      : [],
  );
  const again = resumedAt + 6000;
  expect(covered.some(({ from, to }) => from <= again && to > again)).toBe(true);
  const middle = (stoppedAt + resumedAt) / 2;
  if (resumedAt - stoppedAt > 5000)
    expect(covered.filter(({ from, to }) => from <= middle && to > middle)).toEqual([]);
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) =>
    server.listen({ host: '127.0.0.1', port: 0, backlog: 1024 }, () => {
      const address = server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : 0);
    }),
  );
}
