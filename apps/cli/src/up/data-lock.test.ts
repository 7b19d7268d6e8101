import { spawn, spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keepFiles } from '@vantage/kernel';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockData } from './data-lock.ts';
import { identify, isAlive } from './process-id.ts';
import { lastErrors } from './supervise-part.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'vantage-lock-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const file = () => path.join(dir, 'up.lock');
const quiet = () => {};
const isWritable = (name: string) => {
  try {
    accessSync(name, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};
const put = (owner: { pid: number; started: number }, ending: boolean) =>
  writeFileSync(file(), JSON.stringify({ owner, ending, children: [] }));

test('a second start on the same data is refused while the first runs', async () => {
  const lock = await lockData(dir, quiet, keepFiles(quiet));
  await expect(lockData(dir, quiet, keepFiles(quiet))).rejects.toThrow(/a system already runs on/);
  lock.release();
  (await lockData(dir, quiet, keepFiles(quiet))).release();
});

test('the lock of a killed start is taken over, also when another process has its number', async () => {
  put({ pid: process.pid, started: 1 }, false);
  (await lockData(dir, quiet, keepFiles(quiet))).release();
  writeFileSync(file(), 'torn');
  (await lockData(dir, quiet, keepFiles(quiet))).release();
});

test('a lock that cannot be read is never taken over', async () => {
  symlinkSync('up.lock', file()); // a circle: ELOOP
  await expect(lockData(dir, quiet, keepFiles(quiet))).rejects.toThrow(/cannot determine whether/);
  expect(readlinkSync(file())).toBe('up.lock');
});

test('a start waits for a predecessor that is ending', async () => {
  const sleeper = spawn('sleep', ['0.5']);
  put(identify(sleeper.pid ?? 0), true);
  const lines: string[] = [];
  const lock = await lockData(dir, (text) => lines.push(text), keepFiles(quiet));
  expect(lines).toEqual(['waiting for the previous system to end']);
  expect(JSON.parse(readFileSync(file(), 'utf8')).owner.pid).toBe(process.pid);
  lock.release();
});

test('a process is recognised by its start time, and a zombie counts as dead', async () => {
  const child = spawn('sleep', ['30']);
  const id = identify(child.pid ?? 0);
  expect(isAlive(id)).toBe(true);
  expect(isAlive({ ...id, started: id.started + 1 })).toBe(false);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  expect(isAlive(id)).toBe(false);
});

test('a start waits for a disk that refuses the lock, and says so once', async ({ skip }) => {
  skip(!isWritable('/dev/full'), 'this user may not write to /dev/full');
  const part = `${file()}.${process.pid}.part`;
  symlinkSync('/dev/full', part); // each write to it is ENOSPC
  const lines: string[] = [];
  const locking = lockData(dir, (text) => lines.push(text), keepFiles(quiet));
  await expect.poll(() => lines).toEqual([expect.stringMatching(/ENOSPC.*make room on its disk.*waiting/)]);
  const lock = await locking; // the refused part was removed, so the next attempt writes a real one
  expect(lines[1]).toBe('the disk accepts files again');
  lock.release();
});

test('a start on a read-only folder ends, and says so', async ({ skip }) => {
  const readOnly = path.join(dir, 'read-only');
  mkdirSync(readOnly);
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'none', readOnly]);
  skip(mount.status !== 0, 'this user may not mount');
  try {
    const lines: string[] = [];
    await expect(lockData(readOnly, (text) => lines.push(text), keepFiles(quiet))).rejects.toMatchObject({
      code: 'lock_unwritable',
      message: expect.stringMatching(
        /EROFS.*its disk is read-only; mount it for writing, or choose another folder/,
      ),
    });
    expect(lines).toEqual([]);
  } finally {
    spawnSync('umount', [readOnly]);
  }
});

test.each([
  ['{"level":30,"msg":"starts"}\n{"level":60,"msg":"port 8443 is in use"}\n', 'port 8443 is in use'],
  ['Error: boom\n    at x\n', 'Error: boom\n    at x'],
  ['', ''],
])('the last errors of the log %j', (text, expected) => {
  expect(lastErrors(text)).toBe(expected);
});
