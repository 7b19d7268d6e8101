import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { programEnv } from '@vantage/kernel/testing';
import { closedPort } from '@vantage/probes/testing';
import { createTestDatabase, type TestDatabase } from '@vantage/testing/database';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { repositoryRoot } from '../harness/system.ts';

const password = 'sentinel-db-password';
let dir: string;
let database: TestDatabase;
beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'vantage-db-'));
  database = await createTestDatabase();
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

/** Runs a program with this database until it ends, or until its output holds `last`. Returns all output. */
async function outputOf(
  program: string,
  args: readonly string[],
  url: string,
  last?: string,
): Promise<string> {
  const child = spawn(process.execPath, [path.join(repositoryRoot, program), ...args], {
    env: {
      ...programEnv(),
      VANTAGE_DATA: dir,
      VANTAGE_DATABASE_URL: url,
      VANTAGE_HTTPS_PORT: '0',
      VANTAGE_AGENT_PORT: '0',
      VANTAGE_LOG_LEVEL: 'trace',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let seen = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
    });
  const whole = Promise.all([text(child.stdout), text(child.stderr)]);
  if (last !== undefined)
    await vi
      .waitFor(() => expect(seen).toContain(last), { timeout: 90_000, interval: 50 })
      .finally(() => child.kill('SIGTERM'));
  return (await whole).join('\n');
}

const away = `postgres://vantage:${password}@127.0.0.1:${closedPort}/vantage?password=${password}`;

test('the password of the database is in no line of a controller that serves', async () => {
  const url = database.url.replace(/^(postgres(?:ql)?:\/\/[^:@/]+)(:[^@/]*)?@/, `$1:${password}@`);
  expect(url).toContain(password);
  const output = await outputOf('apps/controller/src/main.ts', [], url, 'the controller serves');
  expect(output).not.toContain(password);
});

test.each([
  // It waits for its database until it is ended.
  ['a controller', 'apps/controller/src/main.ts', [], 'waiting for it'],
  ['a command of the operator', 'apps/cli/src/main.ts', ['accounts', 'list', '--json'], undefined],
])('the password of a database that is away is in no line of %s', async (_, program, args, last) => {
  const output = await outputOf(program, args, away, last);
  expect(output).toContain('ECONNREFUSED');
  expect(output).not.toContain(password);
});
