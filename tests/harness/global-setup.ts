import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createLog } from '@vantage/kernel';
import { createDb } from '@vantage/storage';
import { distributeHistory } from '@vantage/storage/distribute';
import { startEmbedded } from '@vantage/storage-ops/embedded/embedded';
import { createClusterDatabase, workersOf } from '@vantage/testing/citus';
import { folderForData } from '@vantage/testing/memory-folder';
import { dropDatabase, inDatabase, withClient } from '@vantage/testing/postgres-url';
import { removeWithUs } from '@vantage/testing/server-folder';
import type { TestProject } from 'vitest/node';

/**
 * Provides one PostgreSQL for a run of vitest: the embedded one in a temporary folder (fsync off, because its data end
 * with the run), or the one that VANTAGE_TEST_DATABASE_URL names. Migrates a template database once. VANTAGE_TEST_CITUS
 * names the coordinator of a Citus cluster instead: the template's history is distributed there.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const log = createLog('tests', 'warn');
  const citus = process.env['VANTAGE_TEST_CITUS'];
  const serverUrl = citus ?? process.env['VANTAGE_TEST_DATABASE_URL'];
  const dir = mkdtempSync(path.join(folderForData(), 'vantage-pg-'));
  chmodSync(dir, 0o700);
  removeWithUs(dir);
  const embedded = serverUrl
    ? undefined
    : await startEmbedded({
        dir: path.join(dir, 'pg'),
        log,
        // Old segments of the log are kept, in memory, up to that size.
        settings: { fsync: 'off', full_page_writes: 'off', max_connections: '200', max_wal_size: '256MB' },
      });
  // The tests use an ordinary role, as the controller does. This role may also create databases, and load rows in any
  // order.
  if (embedded)
    await withClient(embedded.superuserUrl, async (client) => {
      await client.query('alter role vantage createdb');
      await client.query('grant set on parameter session_replication_role to vantage');
    });
  const url = serverUrl ?? embedded?.url ?? '';
  const template = `vantage_template_${randomBytes(6).toString('hex')}`;
  const workers = citus === undefined ? [] : await workersOf(citus);
  if (citus === undefined) await withClient(url, (client) => client.query(`create database ${template}`));
  else await createClusterDatabase(citus, workers, template);
  const db = await createDb({ connection: { url: inDatabase(url, template) }, log });
  await db.migrate();
  if (citus !== undefined) await distributeHistory(db, { shards: 4, say: () => {} });
  await db.close();
  project.provide('databaseUrl', url);
  project.provide('databaseWorkers', workers);
  project.provide('databaseTemplate', template);
  return async () => {
    if (embedded) await embedded.stop();
    else for (const server of [url, ...workers]) await dropDatabase(server, template);
    rmSync(dir, { recursive: true, force: true });
  };
}
