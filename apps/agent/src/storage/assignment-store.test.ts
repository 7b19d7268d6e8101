import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { create } from '@bufbuild/protobuf';
import { systemClock } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { AssignmentsSchema } from '@vantage/proto';
import { afterAll, expect, test } from 'vitest';
import { assignment } from '../testing/measurements.ts';
import { openAssignments } from './assignment-store.ts';

const root = mkdtempSync(path.join(tmpdir(), 'vantage-assignments-'));

afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
const newFolder = () => path.join(root, String(folders++));
const faults: string[] = [];

const open = (folder: string) =>
  openAssignments({ folder, clock: systemClock, onFault: (text) => faults.push(text) });

const message = (snapshot: boolean, final: boolean, nos: number[], removedDeviceNos: number[] = []) =>
  create(AssignmentsSchema, {
    snapshot,
    final,
    removedDeviceNos,
    upserts: nos.map((no) => assignment(no)),
  });

const devices = (store: { all: ReadonlyMap<number, unknown> }) => [...store.all.keys()].sort((a, b) => a - b);

test('a snapshot replaces all assignments after its last part, a change applies at once, and both survive a restart', async () => {
  const folder = newFolder();
  const store = await open(folder);
  expect(store.apply(message(true, false, [1, 2])).kind).toBe('wait');
  expect(devices(store)).toEqual([]);
  expect(store.apply(message(true, true, [3])).kind).toBe('replace');
  expect(store.apply(message(false, false, [4], [1]))).toMatchObject({
    kind: 'change',
    removedDeviceNos: [1],
  });
  await store[Symbol.asyncDispose]();
  await using again = await open(folder);
  expect(devices(again)).toEqual([2, 3, 4]);
  expect(again.all.get(4)).toEqual(assignment(4));
});

test('anchors come with any part of a snapshot or a change, stay without one, and survive a restart', async () => {
  const folder = newFolder();
  const store = await open(folder);
  const withAnchors = (snapshot: boolean, final: boolean, ...names: readonly string[]) =>
    create(AssignmentsSchema, { snapshot, final, anchors: { anchors: names.map((name) => ({ name })) } });
  const names = (one: typeof store) => one.anchors.map(({ name }) => name);
  store.apply(withAnchors(true, false, 'gateway', 'site'));
  expect(names(store)).toEqual([]);
  store.apply(message(true, true, [1]));
  expect(names(store)).toEqual(['gateway', 'site']);
  store.apply(message(false, false, [2]));
  await store[Symbol.asyncDispose]();
  await using again = await open(folder);
  expect([names(again), devices(again)]).toEqual([
    ['gateway', 'site'],
    [1, 2],
  ]);
  again.apply(withAnchors(false, false));
  expect([names(again), devices(again)]).toEqual([[], [1, 2]]);
  again.apply(withAnchors(false, false, 'gateway'));
  again.apply(message(true, true, [1]));
  expect(names(again)).toEqual([]);
});

test('an incomplete snapshot of a broken stream is dropped', async () => {
  await using store = await open(newFolder());
  store.apply(message(true, false, [1]));
  store.forgetPartial();
  store.apply(message(true, true, [2]));
  expect(devices(store)).toEqual([2]);
});

test('of an agent that may not check any more, no file keeps a target', async () => {
  const folder = newFolder();
  const store = await open(folder);
  for (const deviceNo of [1, 2]) {
    store.apply(message(false, false, [deviceNo]));
    await store.flushed();
  }
  expect(readdirSync(folder)).toContain('assignments.bin.old');
  store.forget();
  await store[Symbol.asyncDispose]();
  expect(readdirSync(folder)).toEqual(['assignments.bin']);
  await using copy = await open(folder);
  expect(devices(copy)).toEqual([]);
});

test('also where they are stored at that moment, no file keeps a target', async () => {
  const folder = newFolder();
  const store = await open(folder);
  store.apply(message(false, false, [1]));
  await store.flushed();
  store.apply(message(false, false, [2]));
  const stored = store.flushed();
  // The write is on its way, and renames the file that has the target of 1.
  await new Promise(setImmediate);
  store.forget();
  await stored;
  await store[Symbol.asyncDispose]();
  expect(readdirSync(folder)).toEqual(['assignments.bin']);
});

test('what the disk refuses is written again by itself, with one line', async () => {
  const folder = newFolder();
  const [clock, lines] = [createFakeClock(), [] as string[]];
  const store = await openAssignments({ folder, clock, onFault: (text) => lines.push(text) });
  const blocked = path.join(folder, 'assignments.bin.new');
  mkdirSync(blocked); // EISDIR
  store.apply(message(true, true, [1]));
  for (let round = 0; round < 3; round += 1) await store.flushed();
  expect(lines).toEqual([expect.stringMatching(/^assignments cannot be stored: EISDIR/)]);
  rmdirSync(blocked);
  await clock.advance(5_000);
  await store.flushed();
  const copy = await open(folder);
  expect(devices(copy)).toEqual([1]);
  await copy[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

test('from a file torn at any byte the agent reads the previous assignments', async () => {
  const folder = newFolder();
  const file = path.join(folder, 'assignments.bin');
  const store = await open(folder);
  store.apply(message(true, true, [1]));
  await store.flushed();
  store.apply(message(true, true, [2]));
  await store.flushed();
  await store[Symbol.asyncDispose]();
  const whole = readFileSync(file);
  for (let cut = 0; cut < whole.length; cut += 1) {
    writeFileSync(file, whole);
    truncateSync(file, cut);
    await using torn = await open(folder);
    expect(devices(torn)).toEqual([1]);
  }
  expect(faults.length).toBeGreaterThan(0);
});
