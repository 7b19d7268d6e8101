import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limitLogFile, readLogEnd } from './log-file.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'vantage-log-'));
  file = path.join(dir, 'a.log');
});
afterEach(() => rmSync(dir, { recursive: true }));

test('a log is put aside while its writer goes on, and both files stay bounded', async () => {
  const writer = openSync(file, 'a', 0o600);
  for (let n = 0; n < 50; n += 1) {
    writeSync(writer, `${String(n).padStart(9, '0')}\n`.repeat(30));
    await limitLogFile(file, 1_000);
    expect(statSync(file).size).toBeLessThanOrEqual(1_000);
  }
  writeSync(writer, 'last\n');
  closeSync(writer);
  expect(readFileSync(file, 'utf8')).toMatch(/^(\d{9}\n)*last\n$/);
  const aside = readFileSync(`${file}.1`, 'utf8');
  expect([aside.length, statSync(`${file}.1`).mode & 0o777]).toEqual([1_000, 0o600]);
  expect(await limitLogFile(path.join(dir, 'none'))).toBe(false);
});

test('a log of 16 MiB is kept, a longer one is rotated', async () => {
  const limit = 16 * 1024 * 1024;
  writeFileSync(file, '');
  truncateSync(file, limit);
  expect(await limitLogFile(file)).toBe(false);
  truncateSync(file, limit + 1);
  expect(await limitLogFile(file)).toBe(true);
  expect([statSync(file).size, statSync(`${file}.1`).size]).toEqual([0, limit]);
});

test('where no copy can be made the log is emptied all the same', async () => {
  writeFileSync(file, 'x'.repeat(2_000));
  await import('node:fs').then(({ mkdirSync }) => mkdirSync(`${file}.1`));
  await expect(limitLogFile(file, 1_000)).rejects.toThrow(/EISDIR/);
  expect(statSync(file).size).toBe(0);
});

test('the end of a log is the part since the given byte, and at most the given length', async () => {
  writeFileSync(file, 'before|after');
  expect(await readLogEnd(file, 7)).toBe('after');
  expect(await readLogEnd(file, 7, 2)).toBe('er');
  expect(await readLogEnd(file, 100)).toBe('before|after');
  expect(await readLogEnd(file, 12)).toBe('');
  expect(await readLogEnd(path.join(dir, 'none'), 0)).toBe('');
});
