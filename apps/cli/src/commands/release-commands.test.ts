import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readReleaseKey } from '@vantage/domain';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { runVantage } from '../testing/run-vantage.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'vantage-releases-'));
afterAll(() => rmSync(folder, { recursive: true }));
const answer = z.object({ private_key: z.string(), public_key: z.string(), line: z.string() });

test('a release key is created only once, and the line of its public key is printed', async () => {
  const file = path.join(folder, 'release.key');
  const made = await runVantage(['release-key', 'create', file, '--json'], {});
  expect(made.code, made.err).toBe(0);
  const { private_key, public_key, line } = answer.parse(JSON.parse(made.out));
  expect([private_key, public_key]).toEqual([file, `${file}.pub`]);
  expect(readReleaseKey(line)).toBeDefined();
  expect(readFileSync(public_key, 'utf8')).toBe(`${line}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const before = readFileSync(file, 'utf8');
  const again = await runVantage(['release-key', 'create', file], {});
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('is never overwritten')]);
  expect(readFileSync(file, 'utf8')).toBe(before);
});
