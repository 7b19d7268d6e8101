import { execFile } from 'node:child_process';
import path from 'node:path';
import { Fault } from '@vantage/kernel';
import type { Part } from '../part.ts';

/** A part in question with the environment that it would get. */
export interface Candidate {
  readonly part: Part;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Asks each part what is wrong with its settings (the controller also whether its ports can be had) before anything starts.
 * Throws one Fault that names all of it, `known` problems first; an abort ends the questions without an answer.
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

function problemsOf({ part, env }: Candidate, signal: AbortSignal): Promise<string[]> {
  const program = path.resolve(import.meta.dirname, `../../../${part}/src/config/validate-settings.ts`);
  return new Promise((resolve) => {
    execFile(process.execPath, [program], { env, signal }, (error, out, err) => {
      const said = out.trim() || (error ? err.trim() || error.message : '');
      resolve(said === '' ? [] : said.split('\n'));
    });
  });
}
