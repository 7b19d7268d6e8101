import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepFile } from './kept-file.ts';

let dir: string;
beforeEach(() => {
  vi.useFakeTimers();
  dir = mkdtempSync(path.join(tmpdir(), 'vantage-kept-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(dir, { recursive: true });
});

test('a file that the disk refuses keeps its old text, and gets the newest one as soon as the disk takes it', () => {
  const file = path.join(dir, 'state');
  const part = `${file}.${process.pid}.part`;
  const lines: string[] = [];
  const kept = keepFile(file, (text) => lines.push(text));
  kept.write('one');
  symlinkSync('/dev/full', part); // each write to it is ENOSPC
  kept.write('two');
  kept.write('three');
  expect(readFileSync(file, 'utf8')).toBe('one');
  expect(lines).toEqual([expect.stringMatching(/ENOSPC.*make room/)]);
  unlinkSync(part);
  vi.advanceTimersByTime(1000);
  expect(readFileSync(file, 'utf8')).toBe('three');
  expect(lines[1]).toMatch(/written again/);
  kept.stop();
});

test('a write that succeeds ends the attempts of an older one', () => {
  const file = path.join(dir, 'state');
  mkdirSync(`${file}.${process.pid}.part`); // EISDIR
  const kept = keepFile(file, () => {});
  kept.write('old');
  rmdirSync(`${file}.${process.pid}.part`);
  kept.write('new');
  vi.advanceTimersByTime(60_000);
  expect(readFileSync(file, 'utf8')).toBe('new');
  kept.stop();
});
