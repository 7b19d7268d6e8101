import { execFile } from 'node:child_process';
import path from 'node:path';
import { Fault } from '@vantage/kernel';
import type { Part } from '../part.ts';

/** A part and the environment in which it will run. */
export interface Candidate {
  readonly part: Part;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Lets each part validate its settings before anything starts; the controller also tries its ports. Throws one Fault
 * that names all problems, the `known` ones first. Returns without a result when the signal aborts.
 */
export async function preflight(
  known: readonly string[],
  candidates: readonly Candidate[],
  signal: AbortSignal,
): Promise<void> {
  const found = await Promise.all(candidates.map((one) => problemsOf(one, signal)));
  if (signal.aborted) return;
  const problems = [...new Set([...known, ...found.flat()])];
  if (problems.length > 0) throw new Fault('stop', 'settings', problems.join('\n'));
}

/** The programs that validate the settings of each part, under `apps/`. */
const programs: Readonly<Record<Candidate['part'], string>> = {
  agent: 'agent/src/config/validate-settings.ts',
  controller: 'controller/src/platform/config/validate-settings.ts',
};

function problemsOf({ part, env }: Candidate, signal: AbortSignal): Promise<string[]> {
  const program = path.resolve(import.meta.dirname, '../../..', programs[part]);
  return new Promise((resolve) => {
    execFile(process.execPath, [program], { env, signal }, (error, out, err) => {
      const printed = out.trim() || (error ? err.trim() || error.message : '');
      resolve(printed === '' ? [] : printed.split('\n'));
    });
  });
}
