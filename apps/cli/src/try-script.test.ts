import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { tryScript, verdictText } from './try-script.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'vantage-script-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const at = path.join(folder, name);
  writeFileSync(at, text);
  return at;
}

const { signal } = new AbortController();

test('the operator tries a script with secrets from a file, and the verdict hides them', async () => {
  const verdict = await tryScript(
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
  expect(verdict).toMatchObject({ ResultCode: 1, Log: ['password is ***'], Steps: [{ Name: 'first' }] });
});

test('an expectation that fails is the verdict', async () => {
  const verdict = await tryScript(
    { file: file('bad.js', "expect(false, 'no')"), timeoutSeconds: 20 },
    signal,
  );
  expect(verdict).toMatchObject({ ResultCode: 4, CheckResult: 'no' });
});

test('a verdict for people names the line, the steps and the outcome of each call', async () => {
  const at = file(
    'late.js',
    "await step('look', () =>\n  tcp({ host: '127.0.0.1', port: 1 }).catch(log));\nexpect(0, 'zero');",
  );
  const verdict = await tryScript({ file: at, timeoutSeconds: 20 }, signal);
  expect(verdictText(verdict, 'late.js').replace(/[\d.]+ ms/g, 'N ms')).toBe(
    [
      'late.js:3: zero (ResultCode 4)',
      'step look, N ms',
      '  line 2: tcp() 3, connection refused by 127.0.0.1:1 (N ms)',
      'log: CheckError: connection refused by 127.0.0.1:1',
    ].join('\n'),
  );
});

test('the values that a script reports are in its verdict', async () => {
  const at = file('values.js', "value('queue', 12.5, 'jobs'); value('free', -1);");
  const verdict = await tryScript({ file: at, timeoutSeconds: 20 }, signal);
  expect(verdictText(verdict, 'values.js').split('\n').slice(1)).toEqual([
    'value queue: 12.5 jobs',
    'value free: -1',
  ]);
});

test.each([
  [{ file: '/nowhere/x.js', timeoutSeconds: 20 }, 'cannot read /nowhere/x.js'],
  [{ file: 'x.js', timeoutSeconds: 0 }, '--timeout must be 1 to 120 seconds'],
])('%j is refused', async (trial, why) => {
  await expect(tryScript(trial, signal)).rejects.toThrow(why);
});

test('a file of secrets with a value that is no text is refused', async () => {
  const trial = { file: file('x.js', '1'), secretsFile: file('s.json', '{"P": 1}'), timeoutSeconds: 20 };
  await expect(tryScript(trial, signal)).rejects.toThrow('is not a JSON object of texts');
});
