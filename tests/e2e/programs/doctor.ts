import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { repositoryRoot } from '../../harness/system.ts';

const findings = z.array(
  z.object({ level: z.string(), step: z.string(), text: z.string(), remedy: z.string().optional() }),
);

/** Runs `vantage doctor` on a data folder: its status, all findings, and those that are not well. */
export async function doctor(dataDir: string) {
  const asked = promisify(execFile)(path.join(repositoryRoot, 'vantage'), ['doctor', '--json'], {
    env: { ...process.env, VANTAGE_DATA: dataDir },
  });
  const { stdout, code } = await asked.then(
    (done) => ({ ...done, code: 0 }),
    (error: { stdout: string; code: number }) => error,
  );
  const found = findings.parse(JSON.parse(stdout));
  return { code, found, bad: found.filter(({ level }) => level !== 'ok') };
}
