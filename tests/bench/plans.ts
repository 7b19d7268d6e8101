// The plans of the lists' statements on large tables: how many rows they read, and that they read no whole table.
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const program = path.join(import.meta.dirname, '../harness/run-all.ts');
const { status } = spawnSync(process.execPath, [program, '--project', 'plans'], { stdio: 'inherit' });
process.exitCode = status ?? 1;
