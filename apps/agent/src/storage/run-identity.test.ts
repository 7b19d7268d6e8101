import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openIdentity } from './run-identity.ts';

const root = mkdtempSync(path.join(tmpdir(), 'vantage-identity-'));

afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
const newFolder = () => path.join(root, String(folders++));
let nowMs = Date.now();

function open(folder: string, faults: string[] = []) {
  return openIdentity({
    folder,
    newId: () => 'boot',
    nowMs: () => nowMs,
    onFault: (text) => faults.push(text),
  });
}

async function sessionsOf(folder: string, count: number): Promise<bigint[]> {
  await using identity = await open(folder);
  const numbers: bigint[] = [];
  for (let i = 0; i < count; i += 1) numbers.push(await identity.nextSession());
  return numbers;
}

test('each session has a higher number, over restarts too, and the clock is remembered', async () => {
  const folder = newFolder();
  expect(await sessionsOf(folder, 3)).toEqual([1n, 2n, 3n]);
  expect(await sessionsOf(folder, 1)).toEqual([4n]);
  {
    await using identity = await open(folder);
    await identity.keepWallOffset(-3_600_000_000);
  }
  await using again = await open(folder);
  expect(again.wallOffsetUs).toBe(-3_600_000_000);
});

test.each([
  ['was set back', -3_600_000],
  ['was set forward by a week, or was off for as long', 8 * 86_400_000],
])('an offset says nothing after this host %s; it is measured again', async (_, setMs) => {
  const folder = newFolder();
  nowMs = Date.now();
  {
    await using identity = await open(folder);
    await identity.nextSession();
    await identity.keepWallOffset(5_000_000);
  }
  {
    await using identity = await open(folder);
    expect(identity.wallOffsetUs).toBe(5_000_000);
  }
  nowMs = Date.now() + setMs;
  {
    await using identity = await open(folder);
    expect(identity.wallOffsetUs).toBeUndefined();
    await identity.keepWallOffset(3_605_000_000);
  }
  nowMs = Date.now();
  await using identity = await open(folder);
  expect(identity.wallOffsetUs).toBe(3_605_000_000);
});

test('an agent that runs writes the file each day, so that a restart finds it fresh', async () => {
  const folder = newFolder();
  nowMs = Date.now();
  await using identity = await open(folder);
  await identity.keepWallOffset(5);
  const file = path.join(folder, 'identity.bin');
  const writtenNs = () => statSync(file, { bigint: true }).mtimeNs;
  const first = writtenNs();
  await identity.keepWallOffset(5);
  expect(writtenNs()).toBe(first);
  nowMs += 25 * 3_600_000;
  await identity.keepWallOffset(5);
  expect(writtenNs()).toBeGreaterThan(first);
});

test('after any byte flips, the number of the last session is still known', async () => {
  const folder = newFolder();
  await sessionsOf(folder, 7);
  const file = path.join(folder, 'identity.bin');
  const good = readFileSync(file);
  for (const at of [...Array(60).keys(), ...[...Array(60).keys()].map((i) => 4096 + i)]) {
    const bad = Buffer.from(good);
    bad[at] = (bad[at] ?? 0) ^ 0xff;
    writeFileSync(file, bad);
    expect(await sessionsOf(folder, 1)).toEqual([8n]);
  }
  for (let cut = 1; cut < 60; cut += 1) {
    const torn = Buffer.from(good);
    torn.fill(0, cut, 4096);
    writeFileSync(file, torn);
    expect(await sessionsOf(folder, 1)).toEqual([8n]);
  }
});

test('while the disk refuses every write, no number is used twice, over restarts too; the fault is reported once', async () => {
  const folder = newFolder();
  writeFileSync(folder, '');
  const below = path.join(folder, 'below');
  const faults: string[] = [];
  const used: bigint[] = [];
  for (let restart = 0; restart < 3; restart += 1) {
    await using identity = await open(below, faults);
    nowMs += 5;
    for (let i = 0; i < 3; i += 1) used.push(await identity.nextSession());
  }
  expect(used).toEqual([...new Set(used)].sort((a, b) => Number(a - b)));
  expect(faults.filter((text) => text.includes('cannot be written')).length).toBe(3);
});

test('a disk that works again gets the newest number, without a new session', async () => {
  const folder = newFolder();
  writeFileSync(folder, '');
  const faults: string[] = [];
  const below = path.join(folder, 'below');
  let last = 0n;
  {
    await using identity = await open(below, faults);
    last = await identity.nextSession();
    rmSync(folder);
    mkdirSync(below, { recursive: true });
    await identity.keepWallOffset(0);
    await identity.keepWallOffset(0);
  }
  await using again = await open(below);
  expect(await again.nextSession()).toBe(last + 1n);
});

test('a file that exists and cannot be opened ends the agent, because new numbers would make it look like a copy', async () => {
  const folder = newFolder();
  mkdirSync(path.join(folder, 'identity.bin'), { recursive: true });
  await expect(open(folder)).rejects.toThrow(/identity\.bin cannot be opened.*last session/);
});

test.each([
  ['is missing', (file: string) => rmSync(file)],
  ['is damaged', (file: string) => writeFileSync(file, Buffer.alloc(8192, 7))],
])('an identity.bin that %s is reported with what to do; a new folder is not', async (what, harm) => {
  const folder = newFolder();
  const faults: string[] = [];
  await (await open(folder, faults))[Symbol.asyncDispose]();
  expect(faults).toEqual([]);
  await sessionsOf(folder, 3);
  mkdirSync(path.join(folder, 'outbox'));
  harm(path.join(folder, 'identity.bin'));
  await (await open(folder, faults))[Symbol.asyncDispose]();
  expect(faults).toEqual([expect.stringContaining(`identity.bin ${what}`)]);
  expect(faults[0]).toContain('./vantage agents unfence');
});
