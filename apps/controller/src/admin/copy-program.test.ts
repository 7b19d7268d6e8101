import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { createLog } from '@vantage/kernel';
import { programEnv } from '@vantage/kernel/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEmptyDatabase, createTestDatabase } from '../../../../tests/harness/database.ts';
import { withClient } from '../../../../tests/harness/postgres-url.ts';
import { locks } from '../platform/db/copy/session.ts';
import { type Embedded, startEmbedded } from '../platform/db/embedded.ts';
import { createDb } from '../platform/db/index.ts';
import { makeSecretKeys } from '../platform/secrets/key-file.ts';
import { createFixtures } from '../testing/fixtures.ts';
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
