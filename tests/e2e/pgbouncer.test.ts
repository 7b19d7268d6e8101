// A controller needs sessions: PgBouncer is refused where it lends connections for a transaction or a statement.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { requireSessions } from '@vantage/storage/require-sessions';
import { withClient } from '@vantage/testing/postgres-url';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startController } from '../harness/controller-process.ts';
import { type DatabaseServer, startPrimary } from '../harness/database-servers.ts';
import { hasPgBouncer, startPgBouncer } from '../harness/pgbouncer.ts';
import { runVantage } from '../harness/run-vantage.ts';

let server: DatabaseServer;
beforeAll(async () => {
  if (hasPgBouncer) server = await startPrimary();
}, 120_000);
afterAll(async () => {
  await server?.kill();
});
beforeEach(({ skip }) =>
  skip(!hasPgBouncer, 'PgBouncer or PostgreSQL 15 of Debian is missing (packages pgbouncer, postgresql-15)'),
);

const refused = /keeps no sessions.*\(VANTAGE_DATABASE_URL\): set pool_mode=session in PgBouncer/;

/** Begins a transaction on so many connections at once, so that the pooler has as many free ones afterwards. */
function fill(url: string, connections: number): Promise<unknown> {
  return Promise.all(
    Array.from({ length: connections }, () =>
      withClient(url, (client) => client.query('begin; select pg_sleep(0.2); commit')),
    ),
  );
}

test.each([
  ['its last free connection comes first', 'transaction', 4, {}],
  ['its connections come in turn', 'transaction', 4, { server_round_robin: '1' }],
  ['it has two connections, which come in turn', 'transaction', 2, { server_round_robin: '1' }],
  ['it has one connection only', 'transaction', 1, { default_pool_size: '1', query_wait_timeout: '1' }],
  ['it lends connections for a statement', 'statement', 1, {}],
])('a pooler is refused where %s', { timeout: 60_000 }, async (_, pool_mode, connections, settings) => {
  await using bouncer = await startPgBouncer(server, { pool_mode, ...settings });
  if (pool_mode === 'transaction') await fill(bouncer.url, connections);
  await expect(requireSessions(bouncer.url)).rejects.toThrow(refused);
});

test('a controller behind a pooler without sessions does not start, and it and the doctor say what to do', {
  timeout: 120_000,
}, async () => {
  await using bouncer = await startPgBouncer(server, { pool_mode: 'transaction' });
  await expect(startController(bouncer.url)).rejects.toThrow(refused);
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-pooled-'));
  const env = { VANTAGE_DATA: folder, VANTAGE_DATABASE_URL: bouncer.url };
  const { stdout, code } = await runVantage(['doctor', '--json'], { env });
  rmSync(folder, { recursive: true });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toContainEqual({
    level: 'fault',
    step: 'database',
    text: expect.stringMatching(refused),
    remedy: expect.stringMatching(/\.$/),
  });
});

test('a controller serves behind a pooler that keeps sessions', {
  timeout: 240_000,
}, async () => {
  await using bouncer = await startPgBouncer(server, { pool_mode: 'session' });
  await using controller = await startController(bouncer.url);
  expect(controller.log()).toContain('the controller serves');
  const { rows } = await withClient(server.superuserUrl, (client) =>
    client.query<{ name: string }>(
      `select distinct application_name as name from pg_stat_activity where usename = 'vantage' order by name`,
    ),
  );
  expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['vantage', 'vantage listen']));
});
