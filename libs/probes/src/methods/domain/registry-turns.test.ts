import { createFakeClock } from '@vantage/kernel/testing';
import { expect, test } from 'vitest';
import { createRegistryTurns } from './registry-turns.ts';

test('requests to a registry start a second apart, those to others at once', async () => {
  const clock = createFakeClock();
  const { signal } = new AbortController();
  const turns = createRegistryTurns(1000);
  const started: string[] = [];
  const begin = (server: string) =>
    turns.wait({ clock, signal }, server, 60_000).then(() => started.push(`${server} ${clock.monoMs()}`));
  const waits = ['a', 'a', 'b', 'a'].map(begin);
  for (let step = 0; step < 4; step += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(1000);
  }
  await Promise.all(waits);
  const from = Number(started[0]?.split(' ')[1]);
  expect(started.toSorted()).toEqual([`a ${from}`, `a ${from + 1000}`, `a ${from + 2000}`, `b ${from}`]);
});

test('a turn beyond the limit is refused and not taken', async () => {
  const clock = createFakeClock();
  const { signal } = new AbortController();
  const turns = createRegistryTurns(1000);
  await turns.wait({ clock, signal }, 'a', 500);
  await expect(turns.wait({ clock, signal }, 'a', 500)).rejects.toMatchObject({
    code: 10,
    message: 'this agent asks a at most every 1 s, and other domains are first',
  });
  await clock.advance(1000);
  await turns.wait({ clock, signal }, 'a', 0);
});
