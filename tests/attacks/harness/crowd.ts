import { setTimeout as delay } from 'node:timers/promises';
import type { Outcome } from './https-call.ts';
import { descriptorLimit, type Intruder } from './stranger.ts';

/**
 * Opens many connections, slowly enough for the kernel's queue of new connections, keeps them for a time, and closes
 * all.
 */
export async function crowd(open: (i: number) => Intruder, count: number, openMs: number): Promise<number> {
  const all: Intruder[] = [];
  for (let i = 0; i < count; i += 1) {
    all.push(open(i));
    if (i % 100 === 99) await delay(10);
  }
  await delay(openMs);
  const standing = all.filter(({ closedAfterMs }) => closedAfterMs === undefined).length;
  for (const { socket } of all) socket.destroy();
  return standing;
}

/** The number of connections that this process may open in addition to its own files. */
export function maxConnections(): number {
  return Math.min(19_000, descriptorLimit('self') - 500);
}

/** Sends the requests at once, once unless told otherwise, and begins no round after ten seconds or `maxMs`. */
export async function flood(
  asks: readonly (() => Promise<Outcome>)[],
  { rounds = 1, maxMs = 10_000 }: { readonly rounds?: number; readonly maxMs?: number } = {},
): Promise<Outcome[]> {
  const until = performance.now() + maxMs;
  const outcomes: Outcome[] = [];
  for (let i = 0; i < rounds && performance.now() < until; i += 1)
    outcomes.push(...(await Promise.all(asks.map((ask) => ask()))));
  return outcomes;
}
