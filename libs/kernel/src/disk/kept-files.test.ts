import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepFiles } from './kept-files.ts';

let dir: string;
beforeEach(() => {
  vi.useFakeTimers();
  dir = mkdtempSync(path.join(tmpdir(), 'vantage-kept-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(dir, { recursive: true });
});
const text = (file: string) => readFileSync(file, 'utf8');
/** The disk takes nothing for the file until it is called: EISDIR. */
function refuse(file: string): () => void {
  const part = `${file}.${process.pid}.part`;
  mkdirSync(part);
  return () => rmdirSync(part);
}

test('a file that the disk refuses keeps its old text, and gets the newest one as soon as the disk takes it', () => {
  const [file, other] = [path.join(dir, 'state'), path.join(dir, 'other')];
  const lines: string[] = [];
  const kept = keepFiles((line) => lines.push(line));
  kept.write(file, 'one');
  const accept = refuse(file);
  kept.write(file, 'two');
  kept.write(file, 'three', 0o644);
  kept.write(other, 'goes on');
  vi.advanceTimersByTime(10_000);
  expect([text(file), text(other)]).toEqual(['one', 'goes on']);
  expect(kept.isWaiting(file)).toBe(true);
  expect(lines).toEqual([expect.stringMatching(/EISDIR.*make room/)]);
  accept();
  vi.advanceTimersByTime(1000);
  expect(text(file)).toBe('three');
  expect(statSync(file).mode & 0o777).toBe(0o644);
  expect(kept.isWaiting(file)).toBe(false);
  expect(lines.slice(1)).toEqual([`${file} is written again`]);
  expect(readdirSync(dir).sort()).toEqual(['other', 'state']);
  expect(vi.getTimerCount()).toBe(0);
});

test('a write that succeeds ends the attempts of an older one', () => {
  const file = path.join(dir, 'state');
  const accept = refuse(file);
  const kept = keepFiles(() => {});
  kept.write(file, 'old');
  accept();
  kept.write(file, 'new');
  vi.advanceTimersByTime(60_000);
  expect(text(file)).toBe('new');
  kept.stop();
});

test('after the stop nothing is tried any more', () => {
  const file = path.join(dir, 'state');
  const accept = refuse(file);
  const kept = keepFiles(() => {});
  kept.write(file, 'late');
  kept.stop();
  accept();
  vi.advanceTimersByTime(60_000);
  expect(readdirSync(dir)).toEqual([]);
});
