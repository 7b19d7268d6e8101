import { execFile } from 'node:child_process';
import path from 'node:path';
import { Fault } from '@vantage/kernel';
import type { SystemPart } from '../program-part.ts';

/** A part with its environment. */
interface CheckedPart {
  readonly part: SystemPart;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Lets each part validate its settings before anything starts. The controller also tries its ports. Throws a Fault with
 * all problems, `known` first. Does nothing when `signal` aborts.
 */
export async function preflight(
  known: readonly string[],
  parts: readonly CheckedPart[],
  signal: AbortSignal,
): Promise<void> {
  const found = await Promise.all(parts.map((part) => problemsOf(part, signal)));
  if (signal.aborted) return;
  const problems = [...new Set([...known, ...found.flat()])];
  if (problems.length > 0) throw new Fault('stop', 'settings', problems.join('\n'));
}

/** The programs that validate the settings of each part, under `apps/`. */
const programs: Readonly<Record<CheckedPart['part'], string>> = {
  agent: 'agent/src/config/validate-settings.ts',
  controller: 'controller/src/config/validate-settings.ts',
};

function problemsOf({ part, env }: CheckedPart, signal: AbortSignal): Promise<string[]> {
  const program = path.resolve(import.meta.dirname, '../../..', programs[part]);
  return new Promise((resolve) => {
    execFile(process.execPath, [program], { env, signal }, (error, out, err) => {
      const printed = out.trim() || (error ? err.trim() || error.message : '');
      resolve(printed === '' ? [] : printed.split('\n'));
    });
  });
}
