import { execFileSync } from 'node:child_process';
import fs, {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, type TestContext, test, vi } from 'vitest';
import { isDiskRefusal, makeFile, removeIfAllowed, replaceFile, replaceFileSync } from './replace-file.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'vantage-replace-'));
});
afterEach(() => rmSync(dir, { recursive: true }));
const file = () => path.join(dir, 'state');

/** The paths that this process synced while `work` ran. */
async function syncedDuring(work: () => unknown): Promise<readonly string[]> {
  const synced: string[] = [];
  const note = (fd: number) => void synced.push(readlinkSync(`/proc/self/fd/${fd}`));
  const handle = await open(dir);
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  const { fsyncSync } = fs;
  const spies = [
    vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
      note(this.fd);
    }),
    vi.spyOn(fs, 'fsyncSync').mockImplementation((fd) => {
      note(fd);
      fsyncSync(fd);
    }),
  ];
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  }
  return synced;
}

test.each([
  ['is created', () => makeFile(file(), 'new')],
  [
    'is created by another process meanwhile',
    () => makeFile(file(), 'old').then(() => makeFile(file(), 'new')),
  ],
  ['is replaced', () => replaceFile(file(), 'new')],
  ['is replaced at once', () => replaceFileSync(file(), 'new')],
])('a file that %s survives a power cut: its folder is synced last', async (_what, work) => {
  const synced = await syncedDuring(work);
  expect(synced.at(-1)).toBe(dir);
});

/** A real file system of 64 KiB in the folder, until it is disposed. */
function mountSmall({ skip }: TestContext): Disposable & { readonly mount: (...args: string[]) => void } {
  skip(process.getuid?.() !== 0, 'a small tmpfs is mounted as root only');
  const mount = (...args: string[]) => void execFileSync('mount', [...args, dir], { stdio: 'pipe' });
  try {
    mount('-t', 'tmpfs', '-o', 'size=64k', 'tmpfs');
  } catch {
    skip(true, 'this machine lets nobody mount a tmpfs');
  }
  return { mount, [Symbol.dispose]: () => void execFileSync('umount', ['-l', dir]) };
}

const fillUp = () => {
  try {
    writeFileSync(path.join(dir, 'ballast'), Buffer.alloc(1024 * 1024));
  } catch {
    // the disk is full
  }
};
const large = 'x'.repeat(32_768);

test('on a full and on a read-only disk the old file stays, nothing else is left, and the file is replaced when there is room', async (context) => {
  using disk = mountSmall(context);
  const ways = [
    () => replaceFile(file(), large),
    () => replaceFile(file(), large, { isSynced: false }),
    async () => replaceFileSync(file(), large),
    () => makeFile(path.join(dir, 'new'), large),
  ];
  await replaceFile(file(), 'old');
  fillUp();
  for (const replace of ways) {
    expect(isDiskRefusal(await replace().catch((error: unknown) => error))).toBe(true);
    expect(readFileSync(file(), 'utf8')).toBe('old');
    expect(readdirSync(dir).sort()).toEqual(['ballast', 'state']);
  }
  disk.mount('-o', 'remount,ro');
  for (const replace of ways)
    expect(await replace().catch((error: unknown) => error)).toMatchObject({ code: 'EROFS' });
  removeIfAllowed(file());
  expect(readdirSync(dir).sort()).toEqual(['ballast', 'state']);
  disk.mount('-o', 'remount,rw');
  rmSync(path.join(dir, 'ballast'));
  for (const replace of ways.slice(0, 3)) {
    replaceFileSync(file(), 'old');
    await replace();
    expect(readFileSync(file(), 'utf8')).toBe(large);
  }
});

test('calls at one moment do not mix: the file is one of them, whole', async () => {
  const texts = Array.from({ length: 20 }, (_, n) => String(n).repeat(5_000));
  await Promise.all(texts.map((text) => replaceFile(file(), text, { isSynced: false })));
  expect(texts).toContain(readFileSync(file(), 'utf8'));
  const made = await Promise.all(texts.map((text, n) => makeFile(path.join(dir, `new-${n % 2}`), text)));
  expect(made.filter(Boolean)).toHaveLength(2);
  expect(readdirSync(dir).sort()).toEqual(['new-0', 'new-1', 'state']);
});

test('a file has the mode that it is given, whatever the umask; makeFile never replaces one', async () => {
  const before = process.umask(0o077);
  try {
    await replaceFile(file(), 'a', { mode: 0o644 });
    expect(statSync(file()).mode & 0o777).toBe(0o644);
    replaceFileSync(file(), 'b', 0o640);
    expect(statSync(file()).mode & 0o777).toBe(0o640);
  } finally {
    process.umask(before);
  }
  expect(await makeFile(file(), 'c')).toBe(false);
  expect(readFileSync(file(), 'utf8')).toBe('b');
  removeIfAllowed(file());
  expect(await makeFile(file(), 'c')).toBe(true);
  expect(readdirSync(dir)).toEqual(['state']);
});
