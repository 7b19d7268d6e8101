import { createServer } from 'node:http';
import { systemClock as clock, createLog } from '@vantage/kernel';
import { createDb } from '@vantage/storage';
import { createTestDatabase } from '@vantage/testing/database';
import { promtoolComplaints, undocumentedSeries } from '@vantage/testing/promtool';
import { expect, test } from 'vitest';
import { createControllerMetrics } from './controller-metrics.ts';

async function start() {
  const database = await createTestDatabase();
  const db = await createDb({ connection: { url: database.url }, log: createLog('metrics test', 'silent') });
  const reads = { replica: 3, primary: 2, repeated: 1 };
  const replica = { state: { isUsed: true, ageMs: 1_500, reads } };
  const metrics = createControllerMetrics({ db: { ...db, replica }, clock, version: '1' });
  metrics.watch({
    clocks: { problem: undefined },
    disk: { space: { freeBytes: 7, totalBytes: 9 } },
    certificates: { apiEndUs: 1_800_000_000_000_000 },
    gateway: { load: { sessions: 3, waitingBatches: 2 } },
    feed: { followers: 1 },
    sums: {
      counts: {
        compared: { hours: 0, days: 0, packed_days: 0 },
        differing: { repaired: 0, damaged: 0, missing: 0, failed: 0 },
      },
    },
    notify: {
      running: 4,
      counts: { delivered: { email: 7 }, failed: { webhook: 1 }, again: { webhook: 2 } },
    },
  });
  return {
    db,
    database,
    metrics,
    async [Symbol.asyncDispose]() {
      await db.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

test('the series show ingest, streams, the pool and the jobs; promtool has no complaint', async ({
  skip,
}) => {
  await using bench = await start();
  const { metrics, db } = bench;
  const outcome = { inserted: 5, repeated: 1, quarantined: 0 };
  await metrics.measureIngest(async () => outcome)();
  await expect(metrics.measureIngest(() => Promise.reject(new Error('away')))()).rejects.toThrow('away');
  await db.kysely
    .insertInto('job_cursors')
    .values({ name: 'roll-up', at_us: clock.nowUs() - 7_000_000_000 })
    .execute();
  const backups = { at_us: 1_700_000_000_000_000, verified_us: 1_600_000_000_000_000 };
  await db.kysely.insertInto('last_backup').values(backups).execute();
  const text = await metrics.text();
  for (const line of [
    'vantage_build_info{program="controller",version="1"} 1',
    'vantage_ingest_records_total{outcome="inserted"} 5',
    'vantage_ingest_batch_seconds_count{outcome="failed"} 1',
    'vantage_ingest_batches_in_work 0',
    'vantage_gateway_streams 3',
    'vantage_disk_free_bytes 7',
    'vantage_disk_size_bytes 9',
    'vantage_api_certificate_expiry_timestamp_seconds 1800000000',
    'vantage_gateway_batches_waiting 2',
    'vantage_event_streams 1',
    'vantage_read_replica_used 1',
    'vantage_read_replica_age_seconds 1.5',
    'vantage_history_reads_total{server="primary"} 2',
    'vantage_notification_attempts_running 4',
    'vantage_notifications_delivered_total{channel="email"} 7',
    'vantage_notifications_failed_total{channel="webhook"} 1',
    'vantage_notification_retries_total{channel="webhook"} 2',
    'vantage_notifications_pending 0',
    'vantage_database_requests_waiting 0',
    'vantage_last_backup_timestamp_seconds 1700000000',
    'vantage_last_verified_backup_timestamp_seconds 1600000000',
    'vantage_database_up 1',
    'vantage_rollup_buckets_waiting 0',
  ])
    expect(text).toContain(`\n${line}\n`);
  expect(text).toMatch(/^vantage_rollup_lag_seconds 70\d\d/m);
  expect(undocumentedSeries(text)).toEqual([]);
  const complaints = promtoolComplaints(['check', 'metrics'], text);
  skip(complaints === undefined, 'promtool is missing (Debian: prometheus)');
  expect(complaints).toBe('');
});

test('without its database the controller still shows the other series', async () => {
  await using bench = await start();
  await bench.database[Symbol.asyncDispose]();
  const text = await bench.metrics.text();
  expect(text).toContain('\nvantage_database_up 0\n');
  expect(text).not.toMatch(/^vantage_rollup_lag_seconds/m);
  expect(text).toContain('\nvantage_gateway_streams 3\n');
});

test('a request is measured by the class of its status, and one that the caller leaves as aborted', async () => {
  await using bench = await start();
  const handled = Promise.withResolvers<void>();
  const handler = bench.metrics.measureRequests((request, response) => {
    if (request.url === '/hangs')
      response
        .once('close', () => handled.resolve())
        .writeHead(200)
        .write('x');
    else response.writeHead(404).end();
  });
  await using server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  await fetch(url);
  const leaving = new AbortController();
  const response = await fetch(`${url}/hangs`, { signal: leaving.signal });
  leaving.abort();
  await response.text().catch(() => '');
  await handled.promise;
  const text = await bench.metrics.text();
  expect(text).toContain('\nvantage_http_request_seconds_count{status="4xx"} 1\n');
  expect(text).toContain('\nvantage_http_request_seconds_count{status="aborted"} 1\n');
});
