// Tests of what is stored, folded, packed, rolled up and read run once more, with the history on the workers of a Citus
// cluster. `npm run test:citus` runs all of them.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startCitus } from '../harness/citus-cluster.ts';
import { folderForData } from '../harness/memory-folder.ts';
import { runProgram } from '../harness/run-vantage.ts';
import { repositoryRoot } from '../harness/system.ts';

/**
 * Of each step the files that try most of its statements. The steps' other files, such as those of lists, outages and
 * the fold, send none on the history that these do not send, too.
 */
const files = [
  'checks/ingest/ingest',
  'checks/ingest/check-facts',
  'checks/history/history',
  'checks/history/statistics',
  'checks/history/uptime-routes',
  'checks/rollup/rollup',
  'testing/packed-days',
  'testing/held-results.property',
].map((file) => `apps/controller/src/${file}.test.ts`);

test('results are stored, folded, packed, rolled up and read on Citus as on PostgreSQL alone', {
  timeout: 1_200_000,
}, async ({ onTestFinished, skip }) => {
  expect(files.filter((file) => !existsSync(path.join(repositoryRoot, file)))).toEqual([]);
  const cluster = await startCitus({ dataIn: folderForData() });
  if (typeof cluster === 'string') return skip(cluster);
  await using _cluster = cluster;
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-on-citus-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = path.join(import.meta.dirname, '../harness/run-all.ts');
  const failures = path.join(folder, 'failures');
  const { code, stdout, stderr } = await runProgram(
    process.execPath,
    [program, '--config', 'vitest.citus.config.ts', '--failures', failures, ...files],
    { cwd: repositoryRoot, env: { VANTAGE_TEST_CITUS: cluster.coordinator } },
  );
  // Of a long message CI shows the begin.
  expect(code, existsSync(failures) ? readFileSync(failures, 'utf8') : `${stdout}\n${stderr}`).toBe(0);
  const [, passed] = /^(\d+) passed, 0 failed, \d+ skipped$/m.exec(stdout) ?? [];
  expect(Number(passed)).toBeGreaterThan(files.length);
});
