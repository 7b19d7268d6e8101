import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSecretKey } from './secret-key.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'vantage-key-'));
  file = path.join(dir, 'secret.key');
});
afterEach(() => rmSync(dir, { recursive: true }));

test('the first read makes the key, private; later ones find it', async () => {
  const made = await Promise.all([readSecretKey(file), readSecretKey(file)]);
  expect(made[0].length).toBe(32);
  expect(made[1].equals(made[0])).toBe(true);
  expect((await readSecretKey(file)).equals(made[0])).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test.each(['', 'short', 'A'.repeat(60)])('a file with %j is refused, never replaced', async (text) => {
  writeFileSync(file, text);
  await expect(readSecretKey(file)).rejects.toThrow(/must hold 32 bytes/);
});
