import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { createLog } from '@vantage/kernel';
import { programEnv } from '@vantage/kernel/testing';
import { createDb } from '@vantage/storage';
import { verifyBackup } from '@vantage/storage-ops/backup/verify-backup';
import { startEmbedded } from '@vantage/storage-ops/embedded/embedded';
import { createTestDatabase, type TestDatabase } from '@vantage/testing/database';
import { createFixtures } from '@vantage/testing/fixtures';
import { withClient } from '@vantage/testing/postgres-url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeTables } from './make-tables.ts';

const program = path.join(import.meta.dirname, 'backup-program.ts');
const log = createLog('backup test', 'silent');
let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-kill-'));
  writeFileSync(path.join(folder, 'secret.key'), Buffer.alloc(32, 7).toString('base64'));
  database = await createTestDatabase();
  await withClient(database.url, (client) =>
    client.query(
      `insert into job_cursors (name, at_us) select md5(n::text) || md5((n + 1)::text), n from generate_series(1, 60000) n`,
    ),
  );
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await database[Symbol.asyncDispose]();
});

function start(command: 'backup' | 'restore', file: string, settings: Readonly<Record<string, string>>) {
  const env = { ...programEnv(), ...settings };
  const child = spawn(process.execPath, [program], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify({ command, file, verify: false, recipients: [] }));
  return child;
}

/** Runs a backup; `killAt` says of the folder's files whether it is killed now. */
async function backup(file: string, killAt?: (names: readonly string[]) => boolean) {
  const child = start('backup', file, { VANTAGE_DATA: folder, VANTAGE_DATABASE_URL: database.url });
  const watch = setInterval(() => {
    if (killAt?.(readdirSync(folder)) === true) child.kill('SIGKILL');
  }, 1);
  const ended = new Promise<string | null>((resolve) =>
    child.once('close', (_code, signal) => resolve(signal)),
  );
  const [out, signal] = await Promise.all([text(child.stdout), ended]);
  clearInterval(watch);
  return { out, signal };
}

test('a backup that is killed at ten moments is never taken for one, and the one before stays', {
  timeout: 300_000,
}, async () => {
  const file = path.join(folder, 'nightly.backup');
  const isThere = (name: string) => readdirSync(folder).includes(name);
  const parts = () => readdirSync(folder).filter((name) => name.endsWith('.part'));
  const killed: string[] = [];
  for (let n = 0; n < 10; n += 1) {
    const before = parts();
    let looks = 0;
    // The n-th look after the part was begun: from its first byte to about its last.
    const { out, signal } = await backup(file, (names) => {
      if (names.some((name) => name.endsWith('.part') && !before.includes(name))) looks += 1;
      return looks > n * 12;
    });
    if (signal === 'SIGKILL') killed.push(out);
    // Either it is whole, or it is not there under its name.
    if (isThere('nightly.backup')) await verifyBackup(file);
    else expect(signal).toBe('SIGKILL');
  }
  expect(killed.length).toBeGreaterThan(3);
  expect(killed.join('')).toBe('');
  for (const part of parts())
    await expect(verifyBackup(path.join(folder, part))).rejects.toMatchObject({
      code: 'bad_backup',
      message: expect.stringContaining(part),
    });
  expect(await backup(file)).toMatchObject({ signal: null, out: expect.stringContaining('"ok":true') });
  await verifyBackup(file);
  expect(parts()).toEqual([]);
});

test('a restore into the embedded database of a controller is refused, and the database runs on', async () => {
  const file = path.join(folder, 'refused.backup');
  expect(await backup(file)).toMatchObject({ signal: null });
  const data = path.join(folder, 'used');
  const embedded = await startEmbedded({ dir: path.join(data, 'postgres'), log });
  try {
    await makeTables(embedded.url);
    const db = await createDb({ connection: { url: embedded.url }, log });
    await createFixtures(db.kysely).account();
    await db.close();
    const restored = await text(start('restore', file, { VANTAGE_DATA: data }).stdout);
    expect(restored).toContain('the database is in use');
    expect(embedded.state()).toBe('running');
  } finally {
    await embedded.stop();
  }
});
