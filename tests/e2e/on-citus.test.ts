// Tests of ingest, roll-up, packing and history run once more, with packed days on the workers of a Citus cluster.
// `npm run test:citus` runs all of them.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startCitus } from '@vantage/testing/citus-cluster';
import { folderForData } from '@vantage/testing/memory-folder';
import { expect, test } from 'vitest';
import { runProgram } from '../harness/run-vantage.ts';
import { repositoryRoot } from '../harness/system.ts';

/** The files that send most of the statements on the history, by the ends of their paths. */
const files = [
  'src/results/ingest/ingest',
  'src/results/ingest/check-facts',
  'tests/reading/history',
  'src/reading/statistics/statistics-routes',
  'src/reading/uptime/uptime-routes',
  'src/results/roll-up/rollup',
  'tests/packed-days',
  'tests/packing.property',
].map((file) => `apps/controller/${file}.test.ts`);

test('results are stored, folded, packed, rolled up and read on Citus as on PostgreSQL alone', {
  timeout: 1_200_000,
}, async ({ onTestFinished, skip }) => {
  const cluster = await startCitus({ dataIn: folderForData() });
  if (typeof cluster === 'string') return skip(cluster);
  await using _cluster = cluster;
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-on-citus-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = path.join(import.meta.dirname, '../harness/run-all.ts');
  const failures = path.join(folder, 'failures');
  const { code, stdout, stderr } = await runProgram(
    process.execPath,
    [program, '--project', 'citus', '--failures', failures, ...files],
    { cwd: repositoryRoot, env: { VANTAGE_TEST_CITUS: cluster.coordinator } },
  );
  // Of a long message CI shows the begin.
  expect(code, existsSync(failures) ? readFileSync(failures, 'utf8') : `${stdout}\n${stderr}`).toBe(0);
  const [, passed] = /^(\d+) passed, 0 failed, \d+ skipped$/m.exec(stdout) ?? [];
  expect(Number(passed)).toBeGreaterThan(files.length);
});
