import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeSecretKeys, readSecretKeys } from './key-file.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'vantage-key-'));
  file = path.join(dir, 'secret.key');
});
afterEach(() => rmSync(dir, { recursive: true }));

test('a key is made once, private, and found by all', async () => {
  expect(await readSecretKeys(file)).toBeUndefined();
  const [one, other] = await Promise.all([makeSecretKeys(file), makeSecretKeys(file)]);
  expect(one[0].length).toBe(32);
  expect(other[0].equals(one[0])).toBe(true);
  expect((await readSecretKeys(file))?.[0].equals(one[0])).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('further lines are older keys', async () => {
  const lines = [1, 2, 3].map((byte) => Buffer.alloc(32, byte));
  writeFileSync(file, `${lines.map((line) => line.toString('base64')).join('\r\n')}\n\n`);
  expect(await readSecretKeys(file)).toEqual(lines);
});

const good = Buffer.alloc(32, 1).toString('base64');
test.each(['', 'short', 'A'.repeat(60), `${good}\nshort`, `${good}${good}`])(
  'a file with %j is refused, never replaced',
  async (text) => {
    writeFileSync(file, text);
    await expect(readSecretKeys(file)).rejects.toThrow(/must hold 32 bytes/);
  },
);
