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
 * Throws one Fault that names all of it, `known` problems first.
 */
export async function preflight(known: readonly string[], candidates: readonly Candidate[]): Promise<void> {
  const found = await Promise.all(candidates.map(problemsOf));
  const problems = [...new Set([...known, ...found.flat()])];
  if (problems.length > 0) throw new Fault('stop', 'settings', problems.join('\n'));
}

function problemsOf({ part, env }: Candidate): Promise<string[]> {
  const program = path.resolve(import.meta.dirname, `../../../${part}/src/check.ts`);
  return new Promise((resolve) => {
    execFile(process.execPath, [program], { env }, (error, out, err) => {
      const said = out.trim() || (error ? err.trim() || error.message : '');
      resolve(said === '' ? [] : said.split('\n'));
    });
  });
}
