import { z } from 'zod';
import { runVantageHere } from '../../harness/run-vantage.ts';

const findings = z.array(
  z.object({ level: z.string(), step: z.string(), text: z.string(), remedy: z.string().optional() }),
);

/** Runs `vantage doctor` on a data folder: its status, all findings, and those that are not well. */
export async function doctor(dataDir: string, settings: Readonly<Record<string, string>> = {}) {
  const { stdout, code } = await runVantageHere(['doctor', '--json'], { VANTAGE_DATA: dataDir, ...settings });
  const found = findings.parse(JSON.parse(stdout));
  return { code, found, bad: found.filter(({ level }) => level !== 'ok') };
}
