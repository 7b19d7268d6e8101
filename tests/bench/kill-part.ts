import { setTimeout as delay } from 'node:timers/promises';
import type { System } from '../harness/system.ts';

/** Ends a part of a system by a signal. Resolves when it runs again, and the API answers. */
export async function killPart(
  system: System,
  part: 'controller' | 'agent',
  signal: 'SIGKILL' | 'SIGTERM',
): Promise<void> {
  const before = system.quickstart().pids[part];
  process.kill(before, signal);
  while (system.quickstart().pids[part] === before) await delay(100);
  while (
    await system.api.call('GET', '/hello').then(
      () => false,
      () => true,
    )
  )
    await delay(200);
}
