import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 50;

/** Polls the condition until it is true, for at most `withinMs`. Resolves with its last value. */
export async function awaitTrue(condition: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadlineMs = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() >= deadlineMs) return false;
    await delay(pollMs);
  }
  return true;
}
