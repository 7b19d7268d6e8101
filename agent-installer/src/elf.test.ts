import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { architectureOf, withoutSections } from './elf.ts';

test('a program runs without its symbols and debugging information, and is smaller', ({ skip }) => {
  skip(process.platform !== 'linux', 'programs of this system are no ELF files');
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-elf-'));
  try {
    const whole = readFileSync(process.execPath);
    const small = withoutSections(whole);
    const file = path.join(folder, 'node');
    writeFileSync(file, small, { mode: 0o755 });
    expect(small.length).toBeLessThanOrEqual(whole.length);
    expect(architectureOf(small)).toBe(process.arch);
    expect(execFileSync(file, ['-p', '1 + 1'], { encoding: 'utf8' })).toBe('2\n');
    expect(withoutSections(small).equals(small)).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([
  ['a text', Buffer.from('#!/bin/sh\necho this is a script and no program\n')],
  ['a 32-bit program', Buffer.from('7f454c46010101000000000000000000'.padEnd(128, '0'), 'hex')],
])('%s is refused', (_, file) => {
  expect(() => withoutSections(file)).toThrow('not a 64-bit little-endian ELF program');
});
