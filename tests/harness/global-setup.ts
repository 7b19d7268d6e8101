import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createLog } from '@vantage/kernel';
import type { TestProject } from 'vitest/node';
import { distributeHistory } from '../../apps/controller/src/platform/db/distribute/index.ts';
import { startEmbedded } from '../../apps/controller/src/platform/db/embedded.ts';
import { createDb } from '../../apps/controller/src/platform/db/index.ts';
import { createClusterDatabase, workersOf } from './citus.ts';
import { folderForData } from './memory-folder.ts';
import { dropDatabase, inDatabase, withClient } from './postgres-url.ts';
import { removeWithUs } from './server-folder.ts';

/**
 * Provides one PostgreSQL for a run of vitest: the embedded one in a temporary folder (fsync off, because its data end
 * with the run), or the one that VANTAGE_TEST_DATABASE_URL names. Migrates a template database once. VANTAGE_TEST_CITUS
 * names the coordinator of a Citus cluster instead: the template's history is distributed there.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const log = createLog('tests', 'warn');
  const citus = process.env['VANTAGE_TEST_CITUS'];
  const given = citus ?? process.env['VANTAGE_TEST_DATABASE_URL'];
  const dir = mkdtempSync(path.join(folderForData(), 'vantage-pg-'));
  chmodSync(dir, 0o700);
  removeWithUs(dir);
  const embedded = given
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
  const url = given ?? embedded?.url ?? '';
  const template = `vantage_template_${randomBytes(6).toString('hex')}`;
  const workers = citus === undefined ? [] : await workersOf(citus);
  if (citus === undefined) await withClient(url, (client) => client.query(`create database ${template}`));
  else await createClusterDatabase(citus, workers, template);
  const db = await createDb({ connection: { url: inDatabase(url, template) }, log });
  await db.migrate();
  if (citus !== undefined) await distributeHistory(db, { shards: 4, say: () => {}, log });
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
