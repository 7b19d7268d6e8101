import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const sources = path.join(import.meta.dirname, '..');
const texts = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.tsx'))
  .map((file) => [file, readFileSync(path.join(sources, file), 'utf8')] as const);
const timesIn = (text: string, words: RegExp) => text.match(words)?.length ?? 0;

test('whatever a screen reads, it shows that a later read failed', () => {
  const found = texts.map(([file, text]) => [
    file,
    timesIn(text, /\buse(Read|Pages)\(/g),
    // A `SettingList` has one.
    timesIn(text, /<(ReadState|SettingList)\b/g),
  ]);
  expect(found.some(([, reads]) => reads !== 0)).toBe(true);
  expect(found.filter(([, reads = 0, shown = 0]) => shown < reads)).toEqual([]);
});
