import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { examineKeyFile } from './examine-key-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-doctor-'));
  return () => rmSync(folder, { recursive: true });
});

test.each([
  [undefined, 'fault', 'is missing'],
  ['no key', 'fault', 'has no valid key'],
  ['', 'fault', 'has no valid key'],
  [`${randomBytes(32).toString('base64')}\n${randomBytes(32).toString('base64')}\n`, 'ok', 'secret.key'],
])('a key file with %j is %s', (text, level, words) => {
  const file = path.join(folder, 'secret.key');
  if (text !== undefined) writeFileSync(file, text);
  expect(examineKeyFile(folder, {})).toMatchObject({ level, text: expect.stringContaining(words) });
  expect(examineKeyFile('/nowhere', { VANTAGE_SECRET_KEY_FILE: file })).toMatchObject({ level });
});
