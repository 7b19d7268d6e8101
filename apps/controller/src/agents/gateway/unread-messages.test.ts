import { createFakeClock } from '@vantage/kernel/testing';
import { expect, test } from 'vitest';
import { createUnreadMessages, takeWithinMs } from './unread-messages.ts';

async function* messages(...sizes: number[]) {
  for (const size of sizes) yield new Uint8Array(size);
}

function setUp(capBytes: number) {
  const clock = createFakeClock();
  const cut: string[] = [];
  const logged: string[] = [];
  const unread = createUnreadMessages({ clock, capBytes, onCut: (address) => logged.push(address) });
  const open = (name: string, address: string, ...sizes: number[]) =>
    unread.count({ address, cut: () => cut.push(name) }, messages(...sizes));
  return { clock, cut, logged, open };
}

test('beyond the cap the greatest stream of the address that keeps the most is cut, and ends', async () => {
  const { cut, logged, open } = setUp(100);
  const small = Array.from({ length: 4 }, (_, i) => open(`a${i}`, '10.0.0.1', 20, 1));
  for (const stream of small) await stream.next();
  const great = open('great', '10.0.0.1', 30, 1);
  expect((await great.next()).done).toBe(false);
  expect(cut).toEqual(['great']);
  const other = open('other', '10.0.0.2', 60, 1);
  await other.next();
  expect(cut.slice(1).every((name) => name.startsWith('a'))).toBe(true);
  expect(logged.every((address) => address === '10.0.0.1')).toBe(true);
  expect((await great.next()).done).toBe(true);
  expect((await other.next()).value).toHaveLength(1);
});

test('messages that were taken count no longer, nor those of streams that ended', async () => {
  const { cut, open } = setUp(100);
  for (let i = 0; i < 10; i += 1) {
    const stream = open(`s${i}`, '10.0.0.1', 90, 90, 90);
    for await (const bytes of stream) expect(bytes).toHaveLength(90);
  }
  const left = open('left', '10.0.0.1', 90, 90);
  await left.next();
  await left.return(undefined);
  await open('last', '10.0.0.1', 90).next();
  expect(cut).toEqual([]);
});

test('an agent that does not take a message in time is cut, and one that takes each in time is not', async () => {
  const { clock, cut, open } = setUp(1_000);
  const slow = open('slow', '10.0.0.1', 5, 5, 5);
  for (let i = 0; i < 3; i += 1) {
    await slow.next();
    await clock.advance(takeWithinMs - 1);
  }
  await slow.next();
  const stuck = open('stuck', '10.0.0.1', 5, 5);
  await stuck.next();
  await clock.advance(takeWithinMs);
  expect(cut).toEqual(['stuck']);
});
