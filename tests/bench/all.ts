// Runs the parts of the benchmark one after the other, and prints the one table from their figures. `npm run bench`
// calls it. Usage: node tests/bench/all.ts [part…], for example: node tests/bench/all.ts exact-times agent
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The parts with their arguments, in their order; docs/bench.md explains them. */
const parts: readonly (readonly [part: string, ...args: string[]])[] = [
  ['probes'],
  ['agent'],
  ['overload'],
  ['whole'],
  ['backlog'],
  ['backlog', '10', '500', '200000'],
  ['controllers', '0.1', '20'],
  ['exact-times'],
  ['ingest'],
  ['row-bytes'],
  ['sizes'],
  ['batch'],
  ['apply'],
  ['load', '3000', '60'],
  ['reads', '1000', '3'],
  ['reads-meanwhile'],
  ['citus'],
  ['lists', '100000', '1'],
  ['plans'],
  ['change', '100000'],
  ['packed-days'],
  ['values'],
  ['heartbeats'],
  ['page', '5000', '200', '10'],
  ['many-devices', '10000'],
  ['wall', '10', '1000'],
  ['first-minutes'],
];

const wanted = process.argv.slice(2);
const folder = mkdtempSync(path.join(tmpdir(), 'vantage-bench-figures-'));
const file = path.join(folder, 'figures.jsonl');
const run = (part: string, args: readonly string[] = []) => {
  const env = { ...process.env, VANTAGE_BENCH_FIGURES: file };
  const { status } = spawnSync(process.execPath, [path.join(import.meta.dirname, `${part}.ts`), ...args], {
    env,
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = status ?? 1;
};
for (const [part, ...args] of parts) if (wanted.length === 0 || wanted.includes(part)) run(part, args);
run('table', [file]);
rmSync(folder, { recursive: true, force: true });
