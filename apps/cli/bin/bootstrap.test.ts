import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runVantage } from '../src/testing/run-vantage.ts';

const repository = path.resolve(import.meta.dirname, '../../..');
const bin = path.join(repository, 'apps/cli/bin');
const clone = mkdtempSync(path.join(tmpdir(), 'vantage-clone-'));
beforeAll(() => {
  // What the program reads before packages are there.
  for (const name of ['apps/cli/bin', 'docs/settings.md', 'package-lock.json', 'package.json', 'vantage']) {
    mkdirSync(path.dirname(path.join(clone, name)), { recursive: true });
    cpSync(path.join(repository, name), path.join(clone, name), { recursive: true });
  }
});
afterAll(() => rmSync(clone, { recursive: true }));

/** The answer of the command in the clone. */
function inClone(line: string): string {
  const args = [
    path.join(clone, 'apps/cli/bin/bootstrap.mjs'),
    ...line.split(' ').filter((each) => each !== ''),
  ];
  return execFileSync(process.execPath, args, { encoding: 'utf8' });
}

test('the help of a clone without packages is that of the program', async () => {
  const { out } = await runVantage(['--help'], {});
  await expect(out).toMatchFileSnapshot(path.join(bin, 'help.txt'));
});

test.each(['--help', 'help', '-h', '', 'devices --help'])(
  'a fresh clone answers "vantage %s" with all commands, and installs nothing',
  (line) => {
    expect(inClone(line)).toContain(readFileSync(path.join(bin, 'help.txt'), 'utf8'));
    expect(existsSync(path.join(clone, 'node_modules'))).toBe(false);
  },
);

test.each(['help settings', 'settings'])('a fresh clone answers "vantage %s" with the settings', (line) => {
  expect(inClone(line)).toContain('VANTAGE_DATABASE_URL');
  expect(existsSync(path.join(clone, 'node_modules'))).toBe(false);
});
