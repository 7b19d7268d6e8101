import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writeWithChecksum } from './disk.ts';
import { openIdentity } from './identity.ts';

const root = mkdtempSync(path.join(tmpdir(), 'vantage-identity-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const newFolder = () => path.join(root, String(folders++));

function open(folder: string, faults: string[] = []) {
  return openIdentity({ folder, newId: () => 'boot', onFault: (text) => faults.push(text) });
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

test('whichever byte flips, the number of the last session is still known', async () => {
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

test('what an earlier version kept is gone on with', async () => {
  const folder = newFolder();
  await sessionsOf(folder, 1);
  rmSync(path.join(folder, 'identity.bin'));
  await writeWithChecksum(path.join(folder, 'identity.json'), Buffer.from('{"session":41,"wallOffsetUs":5}'));
  expect(await sessionsOf(folder, 1)).toEqual([42n]);
});

test('a folder that cannot be used is told, and the numbers still rise', async () => {
  const folder = newFolder();
  writeFileSync(folder, '');
  const faults: string[] = [];
  await using identity = await open(path.join(folder, 'below'), faults);
  expect([await identity.nextSession(), await identity.nextSession()]).toEqual([1n, 2n]);
  expect(faults.length).toBeGreaterThan(0);
});

test('a file that is there and cannot be opened ends the agent: counted anew it would be a copy of itself', async () => {
  const folder = newFolder();
  mkdirSync(path.join(folder, 'identity.bin'), { recursive: true });
  await expect(open(folder)).rejects.toThrow(/identity\.bin cannot be opened.*last session/);
});

test.each([
  ['is missing', (file: string) => rmSync(file)],
  ['is damaged', (file: string) => writeFileSync(file, Buffer.alloc(8192, 7))],
])('an identity.bin that %s says what to do; a new folder says nothing', async (what, harm) => {
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
