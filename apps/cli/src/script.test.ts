import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { tryScript } from './script.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'vantage-script-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const at = path.join(folder, name);
  writeFileSync(at, text);
  return at;
}

const { signal } = new AbortController();

test('a script is tried by hand, with secrets from a file that do not show', async () => {
  const seen = await tryScript(
    {
      file: file(
        'good.js',
        "step('first'); log('password is', secret('P')); expect(secret('P') === 'sesame')",
      ),
      secretsFile: file('secrets.json', '{"P": "sesame"}'),
      timeoutSeconds: 20,
    },
    signal,
  );
  expect(seen).toMatchObject({ ResultCode: 1, Log: ['password is ***'], Steps: [{ Name: 'first' }] });
});

test('what it expects in vain is its verdict', async () => {
  const seen = await tryScript({ file: file('bad.js', "expect(false, 'no')"), timeoutSeconds: 20 }, signal);
  expect(seen).toMatchObject({ ResultCode: 4, CheckResult: 'no' });
});

test.each([
  [{ file: '/nowhere/x.js', timeoutSeconds: 20 }, 'cannot read /nowhere/x.js'],
  [{ file: 'x.js', timeoutSeconds: 0 }, '--timeout takes 1 to 120 seconds'],
])('%j is refused', async (trial, why) => {
  await expect(tryScript(trial, signal)).rejects.toThrow(why);
});

test('secrets that are no texts are refused', async () => {
  const trial = { file: file('x.js', '1'), secretsFile: file('s.json', '{"P": 1}'), timeoutSeconds: 20 };
  await expect(tryScript(trial, signal)).rejects.toThrow('is no JSON object of texts');
});
