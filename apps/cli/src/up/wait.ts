import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

/** Calls `find` every 50 ms until it finds something; rejects when the signal aborts. */
export async function until<T>(
  find: () => T | undefined | Promise<T | undefined>,
  signal: AbortSignal,
): Promise<T> {
  while (true) {
    const found = await find();
    if (found !== undefined) return found;
    await delay(50, undefined, { signal });
  }
}

/** Whether the REST API answers, with a certificate that the CA file proves. */
export function apiAnswers(baseUrl: string, caFile: string): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { ca: readFileSync(caFile), agent: false, timeout: 5_000 };
    const request = get(`${baseUrl}/hello`, options, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode === 200));
      answer.once('error', () => resolve(false));
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
  });
}
