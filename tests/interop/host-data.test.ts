import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type OneAccount, startOneAccount } from '../../apps/controller/src/testing/one-account.ts';

const run = promisify(execFile);
const source = path.join(import.meta.dirname, 'host-data.c');
const web = { Method: 'HTTP', URL: 'https://example.org/' };
const device = z.looseObject({ HostData: z.strictObject({ headers: z.record(z.string(), z.string()) }) });

let one: OneAccount;
let dir: string;
beforeAll(async () => {
  one = await startOneAccount();
  dir = mkdtempSync(path.join(tmpdir(), 'vantage-client-'));
});
afterAll(async () => {
  await one[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true });
});

test('a client in C that scans JSON for names finds HostData.headers of every HTTP device, and sets them', async ({
  skip,
}) => {
  const compiler = await run('gcc', ['--version']).catch(() => undefined);
  skip(compiler === undefined, 'gcc is not installed');
  const program = path.join(dir, 'host-data');
  await run('gcc', ['-std=c99', '-Wall', '-Wextra', '-Werror', '-o', program, source]);

  const plain = Array.from({ length: 30 }, (_, i) => `plain-${i}`);
  for (const ShortName of plain) await one.create('/devices', { ...web, ShortName });
  const FullName = 'it\'s "HostData": {"headers": 1}, {';
  const odd = await one.create('/devices', { ...web, ShortName: 'odd', FullName });
  const Headers = { 'X-Odd': '}"\\{' };
  await one.create('/devices', { ...web, ShortName: 'own', Options: { Headers } });
  await one.create('/devices', { Method: 'TCP', URL: 'example.org:9', ShortName: 'tcp' });

  const lines = async () => {
    const { stdout } = await run(program, [new URL(one.rest.baseUrl).port, one.key]);
    return stdout.trimEnd().split('\n');
  };
  const skipped = [`"own" skipped: ${JSON.stringify(Headers)}`, '"tcp" skipped: no HostData'];
  expect(await lines()).toEqual([
    ...[...plain, 'odd'].map((name) => `${JSON.stringify(name)} updated`),
    ...skipped,
  ]);
  const { json } = await one.send('GET', `/devices/${odd}?WithConfig=Y`);
  expect(device.parse(json).HostData.headers).toEqual({ 'User-Agent': 'old computer' });
  const again = await lines();
  expect(again.filter((line) => line.endsWith('updated'))).toEqual([]);
  expect(again).toHaveLength(plain.length + 3);
});
