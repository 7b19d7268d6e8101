import { readdirSync, readFileSync } from 'node:fs';
import { Secret, systemClock } from '@vantage/kernel';
import type { Policy } from '../contract/dial.ts';
import type { Measurement } from '../contract/probe.ts';
import { checkFunctions } from '../engine/registry.ts';
import { runCheck } from '../engine/run.ts';
import { createSandbox, type SandboxLimits, sandboxFiles, sandboxLimits } from '../methods/script/sandbox.ts';
import { createScript } from '../methods/script/script.ts';
import { createDial } from '../net/dial.ts';
import { allowAll } from './run-test.ts';

/** Runs scripts in tests, in a sandbox that ends with the trial. */
export interface SandboxTrial extends Disposable {
  run(text: string, settings?: ScriptSettings): Promise<Measurement>;
  /** The process ids of the guests that are alive; empty except on Linux. */
  guests(): readonly string[];
}

/** The arguments of a run of a script. */
interface ScriptSettings {
  readonly timeoutMs?: number;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly policy?: Policy;
}

/** Creates a trial with a new sandbox. */
export function createScriptTrial(limits: SandboxLimits = sandboxLimits()): SandboxTrial {
  const sandbox = createSandbox(sandboxFiles, limits);
  const probe = createScript({ sandbox, functions: checkFunctions });
  return {
    run(text, { timeoutMs = 15_000, secrets = {}, policy = allowAll } = {}) {
      const found = probe.parseTarget(text);
      if (!found.ok) throw new TypeError(found.message);
      const { signal } = new AbortController();
      return runCheck(
        { clock: systemClock, dial: createDial(), signal, policy, random: Math.random },
        {
          probe,
          target: found.target,
          options: probe.options.parse({}),
          timeoutMs,
          secrets: new Map(Object.entries(secrets).map(([name, value]) => [name, new Secret(value)])),
        },
      );
    },
    guests() {
      if (process.platform !== 'linux') return [];
      const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
      const spawners = all.filter(
        (pid) => parentOf(pid) === String(process.pid) && read(pid, 'cmdline').includes('spawner.ts'),
      );
      return all.filter((pid) => spawners.includes(parentOf(pid)));
    },
    [Symbol.dispose]: () => sandbox[Symbol.dispose](),
  };
}

function parentOf(pid: string): string {
  return read(pid, 'stat').split(') ')[1]?.split(' ')[1] ?? '';
}

/** A process may end while it is checked. */
function read(pid: string, what: 'cmdline' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8');
  } catch {
    return '';
  }
}
