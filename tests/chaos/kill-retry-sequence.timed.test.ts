// An agent that is killed within a retry sequence continues the sequence. An agent that is killed while a device is
// Down begins no new sequence. So a restart of the agent changes no results.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { closedPort } from '@vantage/probes/testing';
import type { CheckResult } from '@vantage/proto';
import { expect, test } from 'vitest';
import { openPost, resultsOf, tcpAssignment } from './lone-agent.ts';

/** Each result once, in the order of their starts. */
function distinctResults(results: readonly CheckResult[]): CheckResult[] {
  const byStart = new Map(results.map((result) => [result.startUs, result]));
  return [...byStart.values()].sort((a, b) => Number(a.startUs - b.startUs));
}

test.each([
  ['after each ack', true],
  ['before any ack', false],
] as const)(
  'killed %s, the agent continues the retry sequence',
  { timeout: 300_000 },
  async (_name, isAcked) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'vantage-kill-retries-'));
    try {
      const retries = 3;
      const assignments = [tcpAssignment(1, closedPort, { intervalMs: 2000, retries, retryDelayMs: 1500 })];
      await using post = await openPost(folder, assignments);
      const { controller } = post;
      controller.acks = isAcked;
      const sentResults = () =>
        controller.received.flatMap((message) =>
          message.case === 'batch'
            ? message.value.records.flatMap(({ record }) => (record.case === 'result' ? [record.value] : []))
            : [],
        );
      for (let round = 1; round <= 7; round += 1) {
        const agent = post.start();
        await controller.until(() => distinctResults(sentResults()).length >= round);
        await agent.end('SIGKILL');
      }
      controller.acks = true;
      const last = post.start();
      await controller.until(() => distinctResults(resultsOf(controller)).length >= 9);
      await last.end('SIGTERM');
      const results = distinctResults(resultsOf(controller));
      expect(results.map(({ attempt }) => attempt).slice(0, 8)).toEqual([0, 1, 2, 3, 0, 0, 0, 0]);
      expect(new Set(results.slice(0, 4).map(({ retryId }) => retryId)).size).toBe(1);
      expect(new Set(results.slice(4).map(({ retryId }) => retryId))).toEqual(new Set(['']));
      expect(results.every(({ resultCode }) => resultCode === 3)).toBe(true);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
