// Judges a run of soak.ts once more from the file of its samples, for example after a change of the rules.
// Usage: node tests/bench/judge-soak.ts FILE
import { readFileSync } from 'node:fs';
import { judgeRun, printRun, readRun } from './soak/report.ts';

const { samples, end } = readRun(readFileSync(process.argv[2] ?? '', 'utf8'));
if (!printRun(judgeRun(samples, end), end)) process.exitCode = 1;
