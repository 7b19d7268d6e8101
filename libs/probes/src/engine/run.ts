import type { CheckSpec } from '@vantage/proto';
import type { Measurement } from '../contract/probe.ts';
import { createMask } from '../redact/mask.ts';
import { runUntilDeadline } from './deadline.ts';
import { type ReadyCheck, readSpec } from './registry.ts';
import { agentEnded, notRun, type RunDeps, RunningCheck } from './running-check.ts';

/**
 * Runs one check: deadline, phases, classification, masking, disposal of its resources. Never throws, and takes at most
 * the timeout and 0.4 s. An unexpected error is code 10 (`probe failed: …`), so that a bug of the agent never sets a
 * device Down.
 */
export async function runProbe(run: RunDeps & { readonly spec: CheckSpec }): Promise<Measurement> {
  const ready = readSpec(run.spec);
  if (ready.ok) return runCheck(run, ready.check);
  return notRun(createMask(Object.values(run.spec.secrets)).text(ready.message));
}

/** Like `runProbe`, for a check that is already read (the contract suite, a trial of a script). */
export async function runCheck(deps: RunDeps, check: ReadyCheck): Promise<Measurement> {
  if (deps.signal.aborted) return notRun(agentEnded);
  const running = new RunningCheck(deps, check);
  return running.measured(await runUntilDeadline(running));
}
