import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keepFiles } from '@vantage/kernel';
import { createTestDatabase, type TestDatabase } from '@vantage/testing/database';
import { withClient } from '@vantage/testing/postgres-url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAdmin } from '../admin-process.ts';
import { provision } from './provision-system.ts';

let database: TestDatabase;
let dir: string;
beforeAll(async () => {
  database = await createTestDatabase();
  dir = mkdtempSync(path.join(tmpdir(), 'vantage-provision-'));
});
afterAll(async () => {
  rmSync(dir, { recursive: true });
  await database[Symbol.asyncDispose]();
});

const start = () =>
  provision(
    dir,
    createAdmin(database.url),
    keepFiles(() => {}),
  );
const query = (text: string) =>
  withClient(database.url, async (client) => (await client.query<Record<string, unknown>>(text)).rows);
const agents = async () =>
  (await query('select state from agents order by agent_no')).map(({ state }) => state);

test('a second start has the same keys and token, and stores them in a database that does not know them', async () => {
  const first = await start();
  expect(first.isFresh).toBe(true);
  expect(await start()).toEqual({ ...first, isFresh: false });
  expect(await agents()).toEqual(['New']);
  await query('truncate accounts cascade');
  expect(await start()).toEqual({ ...first, isFresh: false });
  expect(readFileSync(path.join(dir, 'agent-token'), 'utf8').trim()).toBe(first.agent_token);
});

test('revoked keys are replaced, except the key of the administrator', async () => {
  const before = await start();
  await query('update api_keys set revoked_at = now()');
  const after = await start();
  expect(after.isFresh).toBe(true);
  expect([after.api_key_uw === before.api_key_uw, after.api_key_ur === before.api_key_ur]).toEqual([
    false,
    false,
  ]);
  expect(after.agent_token).toBe(before.agent_token);
  expect([typeof before.api_key_ua, after.api_key_ua]).toEqual(['string', undefined]);
  expect((await start()).api_key_ua).toBe(undefined);
});

test('a damaged file of credentials is an error with a remedy', async () => {
  const file = path.join(dir, 'first-run.json');
  const whole = readFileSync(file, 'utf8');
  writeFileSync(file, whole.slice(0, 20));
  await expect(start()).rejects.toThrow(
    /first-run.json is damaged; restore it from the backup, or remove it/,
  );
  writeFileSync(file, whole);
});

test('an agent whose folder is gone is replaced, because the controller would take it for a copy', async () => {
  const before = await start();
  await query('update agents set session_counter = 3');
  mkdirSync(path.join(dir, 'agent'));
  writeFileSync(path.join(dir, 'agent', 'identity.bin'), '');
  expect(await start()).toEqual(before);
  rmSync(path.join(dir, 'agent'), { recursive: true });
  const after = await start();
  expect(after.agent_token).not.toBe(before.agent_token);
  expect(await agents()).toEqual(['Revoked', 'New']);
  expect(await start()).toEqual(after);
});
