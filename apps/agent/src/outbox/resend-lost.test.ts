import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '@vantage/kernel';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gapsOf, openTestOutbox, resultRecord, startsOf } from '../testing/outbox-fixture.ts';
import type { AckPosition } from './ack-position.ts';
import type { Outbox } from './outbox.ts';

let root = '';

beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'vantage-send-again-'));
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

const retainMs = 600_000;
const folderOf = (name: string) => path.join(root, name);

/** The history of a database that knows one epoch. */
const history = (epochId: string, sequence: number, isWhole = false) =>
  new Map([[epochId, { sequence, isWhole }]]);

/** Appends these results, takes them out and acknowledges them. */
async function acknowledge(outbox: Outbox, starts: readonly number[], position?: AckPosition, bytes = 0) {
  for (const start of starts) outbox.append(resultRecord(start, bytes));
  await outbox.flushed();
  const taken = outbox.nextNew(1000);
  expect(startsOf(taken)).toEqual(starts);
  await outbox.ack(taken, position);
}

/** Ends an outbox in order, or as a kill would, and returns the folder with what it left. */
async function end(outbox: Outbox, folder: string, isKilled: boolean): Promise<string> {
  const copied = `${folder}, as it was`;
  if (isKilled) cpSync(folder, copied, { recursive: true });
  await outbox[Symbol.asyncDispose]();
  return isKilled ? copied : folder;
}

/** Everything that waits, in order of the starts. */
async function waitingIn(outbox: Outbox) {
  const taken = [...outbox.nextNew(1000), ...(await outbox.nextBacklog(1000))];
  return { starts: startsOf(taken).toSorted((a, b) => a - b), gaps: gapsOf(taken) };
}

test('what a database that went back lacks is sent again, once; what it has is not', async () => {
  await using outbox = await openTestOutbox(folderOf('a'), { retainMs });
  outbox.setOnline(true);
  await acknowledge(outbox, [1, 2], { epochId: 'e', sequence: 4 }, 80_000);
  await acknowledge(outbox, [3, 4], { epochId: 'e', sequence: 5 }, 80_000);
  expect(outbox.records).toBe(0);
  expect(outbox.epochIds).toEqual(['e']);
  await outbox.sendAgain(history('e', 0, true));
  await outbox.sendAgain(history('another', 0));
  expect((await waitingIn(outbox)).starts).toEqual([]);
  await outbox.sendAgain(history('e', 4));
  expect((await waitingIn(outbox)).starts).toEqual([3, 4]);
  await outbox.sendAgain(history('e', 4));
  expect((await waitingIn(outbox)).starts).toEqual([]);
});

test('an agent that was restarted meanwhile sends it again, whether it ended in order or was killed', async () => {
  for (const name of ['ended', 'killed']) {
    const first = await openTestOutbox(folderOf(name), { retainMs });
    first.setOnline(true);
    await acknowledge(first, [1, 2], { epochId: 'e', sequence: 4 }, name === 'ended' ? 80_000 : 0);
    const left = await end(first, folderOf(name), name === 'killed');
    await using second = await openTestOutbox(left, { retainMs });
    second.setOnline(true);
    expect(second.records).toBe(0);
    expect(second.epochIds).toEqual(['e']);
    await second.sendAgain(history('e', 3));
    expect((await waitingIn(second)).starts).toEqual([1, 2]);
  }
});

test('an orderly end knows what the database had, after a kill everything of before is sent again; later records have their own sequence', async () => {
  for (const [name, lostBefore] of [
    ['orderly', []],
    ['at once', [1, 2]],
  ] as const) {
    const first = await openTestOutbox(folderOf(name), { retainMs });
    first.setOnline(true);
    await acknowledge(first, [1], { epochId: 'e', sequence: 2 });
    await acknowledge(first, [2], { epochId: 'e', sequence: 4 });
    const left = await end(first, folderOf(name), name !== 'orderly');
    await using second = await openTestOutbox(left, { retainMs });
    second.setOnline(true);
    await acknowledge(second, [3], { epochId: 'e', sequence: 5 });
    await second.sendAgain(history('e', 5));
    expect((await waitingIn(second)).starts).toEqual(lostBefore);
    await second.sendAgain(history('e', 3));
    expect((await waitingIn(second)).starts).toEqual(name === 'orderly' ? [1, 2, 3] : [3]);
    // A kill now: the records wait again in the next run, too.
    cpSync(left, folderOf(`${name}, copied`), { recursive: true });
    await using third = await openTestOutbox(folderOf(`${name}, copied`), { retainMs });
    third.setOnline(true);
    expect((await waitingIn(third)).starts).toEqual([1, 2, 3]);
  }
});

test('a kill after an orderly restart makes the marks unknown again: what was acknowledged since is sent again', async () => {
  const first = await openTestOutbox(folderOf('restarted'), { retainMs });
  first.setOnline(true);
  await acknowledge(first, [1], { epochId: 'e', sequence: 2 });
  const left = await end(first, folderOf('restarted'), false);
  const second = await openTestOutbox(left, { retainMs });
  second.setOnline(true);
  await acknowledge(second, [2], { epochId: 'e', sequence: 9 });
  const killed = await end(second, left, true);
  await using third = await openTestOutbox(killed, { retainMs });
  third.setOnline(true);
  await third.sendAgain(history('e', 5));
  expect((await waitingIn(third)).starts).toEqual([1, 2]);
});

test('a data gap names what the agent has deleted already; a lost gap is sent again under its id', async () => {
  let nowMs = 0;
  const clock = { ...systemClock, monoMs: () => nowMs };
  await using outbox = await openTestOutbox(folderOf('gap'), { retainMs, clock });
  outbox.setOnline(true);
  await acknowledge(outbox, [10, 20], { epochId: 'e', sequence: 4 }, 80_000);
  nowMs += retainMs;
  await acknowledge(outbox, [30], { epochId: 'e', sequence: 5 }, 80_000);
  await outbox.sendAgain(history('e', 3));
  const { starts, gaps } = await waitingIn(outbox);
  expect(starts).toEqual([30]);
  expect(gaps.map(({ fromUs, toUs, droppedResults }) => [fromUs, toUs, droppedResults])).toEqual([
    [10n, 20n, 2],
  ]);
});

test('what is retained gives way to new records, in bytes', async () => {
  await using outbox = await openTestOutbox(folderOf('bytes'), { retainMs, maxBytes: 300_000 });
  outbox.setOnline(true);
  for (let i = 1; i <= 4; i += 1) await acknowledge(outbox, [i], { epochId: 'e', sequence: i }, 100_000);
  outbox.setOnline(false);
  // Two segments that are retained must go for it.
  outbox.append(resultRecord(5, 250_000));
  await outbox.flushed();
  outbox.setOnline(true);
  await outbox.sendAgain(history('e', 0));
  const { starts, gaps } = await waitingIn(outbox);
  expect(starts).toEqual([5]);
  expect(gaps.reduce((sum, { droppedResults }) => sum + droppedResults, 0)).toBe(4);
});
