import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../../../..');
const bash = (line: string) =>
  execFileSync('bash', ['-c', line], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, VANTAGE_DATA: '/nowhere' },
  });

test('bash completes by the script of the program on the line', () => {
  const ask = (words: string, at: number) =>
    bash(
      `source <(./vantage completion bash); COMP_WORDS=(${words}); COMP_CWORD=${at}; _vantage; echo "\${COMPREPLY[*]}"`,
    );
  expect(ask('./vantage devices li', 2).trim()).toBe('list');
  expect(ask('./vantage completion ""', 2).trim().split(' ')).toEqual(['bash', 'zsh', 'fish']);
  // Nothing says which controller: no names, and no error.
  expect(ask('./vantage check w', 2).trim()).toBe('');
});
