// Two agents, each alone, are killed (kill -9) a hundred times each in quick sequence, at chosen points between a check
// and its ack, under 50 checks a second. The test compares the results with the connections that the targets counted.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { toBinary } from '@bufbuild/protobuf';
import { type CheckResult, CheckResultSchema } from '@vantage/proto';
import { expect, test } from 'vitest';
import { startTarget, type Target } from '../harness/target.ts';
import { openPost, type Post, resultsOf, tcpAssignment } from './lone-agent.ts';

const devices = 50;
const kills = Number(process.env['CHAOS_AGENT_KILLS'] ?? 100);
/** A result may be lost only between the connection at the target and the fsync of its group. */
const inFlightMs = 700;
const points = ['at a hit', 'batch sent, no ack', 'just acked', 'while it starts', 'at any time'] as const;
type Point = (typeof points)[number];

test.each(['first', 'second'])(
  'kill -9 of the %s agent at chosen points loses no result on its disk, and no repeated result differs',
  {
    timeout: 900_000,
  },
  async (which) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'vantage-kill-agent-'));
    const targets: Target[] = [];
    try {
      for (let i = 0; i < devices; i += 1) targets.push(await startTarget());
      const assignments = targets.map(({ port }, i) =>
        tcpAssignment(i + 1, port, { scheduleOffsetMs: Math.floor((i * 1000) / devices) }),
      );
      await using post = await openPost(folder, assignments);
      const kill: number[] = [];
      for (let round = 0; round < kills; round += 1) {
        const point = points[round % points.length] ?? 'at any time';
        const agent = post.start();
        await reach(point, post, targets);
        kill.push(Date.now());
        await agent.end('SIGKILL');
        post.controller.acks = true;
      }
      const last = post.start();
      const hitsBefore = hitCount(targets);
      await waitUntil(() => hitCount(targets) > hitsBefore + 5 * devices);
      const endedMs = Date.now();
      await last.end('SIGTERM');
      const drain = post.start();
      await waitUntil(() => newestStart(post) >= endedMs);
      await drain.end('SIGTERM');

      const ledger = join(targets, resultsOf(post.controller), endedMs - 2000);
      const unexplained = ledger.hitsWithoutRow.filter(
        (at) => !kill.some((ms) => at > ms - inFlightMs && at <= ms + inFlightMs),
      );
      process.stdout.write(
        `kill ledger of the ${which} agent: ${JSON.stringify({ kills, ...ledger, hitsWithoutRow: ledger.hitsWithoutRow.length, unexplained: unexplained.length })}\n`,
      );
      expect(ledger.changed).toBe(0);
      expect(ledger.rowsWithoutHit).toBe(0);
      expect(unexplained).toEqual([]);
      expect(ledger.hitsWithoutRow.length).toBeLessThanOrEqual(kills * 25);
      expect(ledger.rows).toBeGreaterThan(kills * 10);
    } finally {
      for (const target of targets) await target.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

/** Resolves when the agent reaches the point at which the test kills it. */
async function reach(point: Point, { controller }: Post, targets: readonly Target[]): Promise<void> {
  if (point === 'while it starts') return delay(Math.random() * 600);
  const heardBefore = controller.received.length;
  const hitsBefore = hitCount(targets);
  controller.acks = point !== 'batch sent, no ack';
  const recordsBefore = controller.records.length;
  switch (point) {
    case 'at a hit':
      return waitUntil(() => hitCount(targets) > hitsBefore + 20, 0);
    case 'batch sent, no ack':
      return controller.until(
        () => controller.received.slice(heardBefore).filter(({ case: kind }) => kind === 'batch').length >= 3,
      );
    case 'just acked':
      return controller.until(() => controller.records.length > recordsBefore + 40);
    case 'at any time':
      await waitUntil(() => hitCount(targets) > hitsBefore);
      return delay(Math.random() * 1500);
  }
}

async function waitUntil(holds: () => boolean, everyMs = 20): Promise<void> {
  while (!holds()) await delay(everyMs);
}

function hitCount(targets: readonly Target[]): number {
  return targets.reduce((sum, { hits }) => sum + hits.length, 0);
}

function newestStart({ controller }: Post): number {
  return resultsOf(controller).reduce((most, { startUs }) => Math.max(most, Number(startUs) / 1000), 0);
}

/**
 * Matches the received results with the connections at the targets until `toMs`. Repetitions of a result must be equal
 * to the byte.
 */
function join(targets: readonly Target[], arrived: readonly CheckResult[], toMs: number) {
  const slackMs = 200;
  // The kernel accepts a connection at once, but this busy process may stamp it later.
  const stampedLateMs = 900;
  const rows = new Map<string, CheckResult>();
  let changed = 0;
  for (const result of arrived) {
    const key = `${result.deviceNo}/${result.startUs}`;
    const known = rows.get(key);
    rows.set(key, result);
    if (known !== undefined && !isSame(known, result)) changed += 1;
  }
  let rowsWithoutHit = 0;
  const hitsWithoutRow: number[] = [];
  const byDevice = Map.groupBy(rows.values(), ({ deviceNo }) => deviceNo);
  for (const [i, { hits }] of targets.entries()) {
    const free = [...hits];
    const own = (byDevice.get(i + 1) ?? []).filter(({ resultCode }) => resultCode === 1);
    for (const row of own.sort((a, b) => Number(a.startUs - b.startUs))) {
      const startMs = Number(row.startUs) / 1000;
      const endMs = startMs + row.connectMs + row.ttfbMs + row.ttlbMs;
      const index = free.findIndex((at) => at >= startMs - slackMs && at <= endMs + stampedLateMs);
      if (index >= 0) free.splice(index, 1);
      else rowsWithoutHit += 1;
    }
    hitsWithoutRow.push(...free.filter((at) => at < toMs));
  }
  return { rows: rows.size, repeated: arrived.length - rows.size, changed, rowsWithoutHit, hitsWithoutRow };
}

function isSame(a: CheckResult, b: CheckResult): boolean {
  return Buffer.from(toBinary(CheckResultSchema, a)).equals(toBinary(CheckResultSchema, b));
}
