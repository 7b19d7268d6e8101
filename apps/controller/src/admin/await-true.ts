import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 50;

/** Asks again and again until the answer is true, for at most `withinMs`. Resolves with the last answer. */
export async function awaitTrue(ask: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadlineMs = performance.now() + withinMs;
  while (!(await ask())) {
    if (performance.now() >= deadlineMs) return false;
    await delay(pollMs);
  }
  return true;
}
