import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { createLog } from '@vantage/kernel';
import { programEnv } from '@vantage/kernel/testing';
import { createDb } from '@vantage/storage';
import { makeSecretKeys } from '@vantage/storage/secrets/key-file';
import { locks } from '@vantage/storage-ops/copy/copy-session';
import { type Embedded, startEmbedded } from '@vantage/storage-ops/embedded/embedded';
import { createEmptyDatabase, createTestDatabase } from '@vantage/testing/database';
import { createFixtures } from '@vantage/testing/fixtures';
import { withClient } from '@vantage/testing/postgres-url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeTables } from './make-tables.ts';

const program = path.join(import.meta.dirname, 'copy-program.ts');
const log = createLog('copy test', 'silent');
let folder: string;
let embedded: Embedded;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-copy-'));
  await makeSecretKeys(path.join(folder, 'secret.key'));
  embedded = await startEmbedded({ dir: path.join(folder, 'postgres'), log });
  await makeTables(embedded.url);
  const db = await createDb({ connection: { url: embedded.url }, log });
  await createFixtures(db.kysely).account();
  await db.close();
});
afterEach(async () => {
  await embedded.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the program; returns its answer and its lines for the operator. */
async function copy(from: string, to: string) {
  const env = { ...programEnv(), VANTAGE_DATA: folder };
  const child = spawn(process.execPath, [program], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(JSON.stringify({ from, to }));
  const [out, said] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { answer: JSON.parse(out), said };
}

test('a controller that ends stops its embedded database beside a copy: the copy starts it again', async () => {
  await using other = await createEmptyDatabase();
  const copied = await withClient(embedded.url, async (client) => {
    client.on('error', () => {}); // its server is stopped
    // The copy waits for this lock.
    await client.query('select pg_advisory_lock($1, $2)', [locks.family, locks.copier]);
    const copying = copy('embedded', other.url);
    await expect
      .poll(async () => {
        const { rows } = await client.query(
          "select from pg_stat_activity where application_name = 'vantage database copy' and query like '%pg_try_advisory_lock%'",
        );
        return rows.length;
      })
      .toBe(1);
    await embedded.stop();
    return copying;
  });
  expect(copied).toMatchObject({ answer: { ok: true } });
  expect(copied.said).toContain('the embedded database was stopped');
});

test('a copy into the embedded database of a controller is refused, and the database runs on', async () => {
  await using other = await createTestDatabase();
  const { answer } = await copy(other.url, 'embedded');
  expect(answer).toMatchObject({ ok: false, error: { code: 'not_empty' } });
  expect(embedded.state()).toBe('running');
});
