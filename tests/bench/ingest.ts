// The cost of ingest, compared with the cost of the same rows in PostgreSQL alone, in the same run. It measures rows a second through
// the whole ingest (read, validated, stored, folded into status, committed), through a plain `unnest` and through a plain COPY of the
// same rows into a plain table, each with 500 rows a commit and fsync on. docs/bench.md explains the figures.
// Usage: node tests/bench/ingest.ts [batches]
import { execFileSync } from 'node:child_process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { create } from '@bufbuild/protobuf';
import { systemClock as clock } from '@vantage/kernel';
import { BatchSchema } from '@vantage/proto';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { locationVisibility } from '../../apps/controller/src/catalog/locations/visibility-store.ts';
import { createDb, createPartitions } from '../../apps/controller/src/db/index.ts';
import { recordEvents } from '../../apps/controller/src/events/index.ts';
import { createHealth } from '../../apps/controller/src/health/index.ts';
import { createIngest } from '../../apps/controller/src/ingest/index.ts';
import { rollUps } from '../../apps/controller/src/rollup/index.ts';
import { runRequests } from '../../apps/controller/src/run-requests/index.ts';
import { createFixtures } from '../../apps/controller/src/testing/fixtures.ts';
import { withClient } from '../harness/postgres-url.ts';
import { startBenchDatabase } from './database.ts';
import { printFigures } from './figures.ts';

const batches = Number(process.argv[2] ?? 100);
const devices = 500;
const retentionDays = 3;

await using held = new AsyncDisposableStack();
const { log, url } = held.use(await startBenchDatabase());

/** Rows a second of the batches, one after the other. */
async function rate(take: (batch: number) => Promise<unknown>): Promise<number> {
  const fromMs = performance.now();
  for (let i = 0; i < batches; i += 1) await take(i);
  return (batches * devices) / ((performance.now() - fromMs) / 1000);
}

/** What a check of a Method stores besides its start. */
const values = {
  TCP: { checkResult: 'connected', connectMs: 3.2, ttfbMs: 4.7 },
  HTTP: {
    ...{ checkResult: '200 OK', dnsMs: 0.613, connectMs: 12.214, sslMs: 25.811, ttfbMs: 80.127 },
    ...{ ttlbMs: 4.022, dataSize: 15_234 },
  },
};

/** Bytes of all stored checks on disk, with index. */
async function storedBytes(): Promise<number> {
  const { rows } = await withClient(url, (client) =>
    client.query(`select coalesce(sum(pg_total_relation_size(oid)), 0)::float8 as bytes from pg_class
      where relkind = 'r' and relname ~ '^checks_[0-9]'`),
  );
  return rows[0].bytes;
}

/** The ingest of the controller: each batch has one good result of every device. Resolves with results a second and bytes of a check. */
async function ours(method: keyof typeof values): Promise<{ perSecond: number; bytes: number }> {
  const db = await createDb({ connection: { url }, log });
  try {
    await db.migrate();
    const partitions = createPartitions({ db, clock, log, retentionDays });
    await partitions.ensure();
    const rows = createFixtures(db.kysely);
    const accountNo = await rows.account();
    const locationNo = await rows.location(accountNo);
    const { agentNo } = await rows.agent({ accountNo, locationNo });
    const nowUs = clock.nowUs();
    const deviceNos: number[] = [];
    for (let i = 0; i < devices; i += 1) {
      const deviceNo = await rows.device(accountNo, [locationNo]);
      await rows.hold({ deviceNo, agentNo, locationNo, fromUs: nowUs - 86_400_000_000 });
      deviceNos.push(deviceNo);
    }
    const health = createHealth({ clock, log, recordEvents, runRequests, locations: locationVisibility });
    const ingest = createIngest({
      ...{ db, clock, log, partitions, rollUps, runRequests, retentionDays },
      fold: (trx, inserted, atUs) => health.fold(trx, inserted, atUs),
    });
    let stored = 0;
    const bytesBefore = await storedBytes();
    const perSecond = await rate(async (batch) => {
      const startUs = BigInt(nowUs - (batches - batch) * 1_000_000);
      const value = { startUs, revision: 1, resultCode: 1, ...values[method] };
      const records = deviceNos.map((deviceNo) => ({
        record: { case: 'result' as const, value: { ...value, deviceNo } },
      }));
      const taken = await ingest.accept(
        { agentNo, accountNo },
        create(BatchSchema, { batchId: BigInt(batch), records }),
      );
      stored += taken.inserted;
    });
    if (stored !== batches * devices) throw new Error(`${stored} of ${batches * devices} rows were stored`);
    return { perSecond, bytes: ((await storedBytes()) - bytesBefore) / stored };
  } finally {
    await db.close();
  }
}

/** A table like `check_rows` without partitions and triggers, its key included. */
async function plainTable(client: pg.Client): Promise<void> {
  await client.query('drop table if exists plain');
  await client.query('create table plain (like check_rows including defaults including indexes)');
}

/** The same rows with one `unnest` for each commit. */
function byUnnest(): Promise<number> {
  return withClient(url, async (client) => {
    await plainTable(client);
    const columns = await client.query(
      `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
        where attrelid = 'check_rows'::regclass and attnum > 0 and not attisdropped order by attnum`,
    );
    const pieces = columns.rows.map(({ name, type }, at) => ({
      name: `"${name}"`,
      array: `$${at + 1}::${type}[]`,
    }));
    const { rows: all } = await client.query('select * from check_rows order by start_us, device_no');
    const insert = `insert into plain (${pieces.map(({ name }) => name).join(', ')})
      select * from unnest(${pieces.map(({ array }) => array).join(', ')}) on conflict do nothing`;
    return rate((batch) => {
      const rows = all.slice(batch * devices, (batch + 1) * devices);
      return client.query(
        insert,
        columns.rows.map(({ name }) => rows.map((row) => row[name])),
      );
    });
  });
}

/** The same rows with one COPY for each commit, from text that is ready in memory. */
function byCopy(): Promise<number> {
  return withClient(url, async (client) => {
    await plainTable(client);
    const { rows } = await client.query(
      `select string_agg(line, e'\\n' order by start_us, device_no) as text from (
         select start_us, device_no, trim(both '()' from c::text) as line,
                (row_number() over (order by start_us, device_no) - 1) / ${devices} as batch from check_rows c) numbered
       group by batch order by batch`,
    );
    return rate((batch) =>
      pipeline(
        Readable.from([Buffer.from(`${rows[batch].text}\n`)]),
        client.query(copyFrom('copy plain from stdin (format csv)')),
      ),
    );
  });
}

/** Results a second of another version, by its own benchmark: VANTAGE_BENCH_BEFORE names its folder. */
function earlier(): number | undefined {
  const folder = process.env['VANTAGE_BENCH_BEFORE'];
  if (folder === undefined) return undefined;
  const { VANTAGE_BENCH_FIGURES: _, ...env } = process.env;
  const args = ['tests/bench/ingest.ts', String(batches)];
  const text = execFileSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' });
  const [, found] = /"what":"ingest"[^}]*"ours":([\d.]+)/.exec(text) ?? [];
  return found === undefined ? undefined : Number(found);
}

const before = earlier();
const { perSecond, bytes } = await ours('TCP');
const unit = 'rows/s';
const better = 'more';
const row = {
  what: 'ingest',
  unit,
  ours: perSecond,
  ...(before === undefined ? {} : { before }),
  better,
} as const;
const stored = { unit: 'bytes', better: 'less', peer: 'none', theirs: '-' } as const;
const peers = [
  { ...row, peer: 'plain unnest', theirs: await byUnnest() },
  { ...row, peer: 'plain COPY', theirs: await byCopy() },
];
const { bytes: httpBytes } = await ours('HTTP');
printFigures(`Taking results (${batches} batches of ${devices})`, [
  ...peers,
  { ...stored, what: 'a stored TCP check, with index', ours: bytes },
  { ...stored, what: 'a stored HTTP check, with index', ours: httpBytes },
]);
