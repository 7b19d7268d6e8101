// The cost of ingest, compared with the cost of the same rows in PostgreSQL alone, in the same run. It measures rows a
// second through the whole ingest (read, validated, stored, folded into status, committed), through a plain `unnest`
// and through a plain COPY of the same rows into a plain table, each with 500 rows a commit and fsync on; then rows a
// second of four agents at the same time, and the CPU of the controller's part and of PostgreSQL meanwhile.
// docs/bench.md explains the figures. Usage: node tests/bench/ingest.ts [batches]
import { execFileSync } from 'node:child_process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type Batch, BatchSchema } from '@vantage/proto';
import { createDb } from '@vantage/storage';
import { withClient } from '@vantage/testing/postgres-url';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { startBenchDatabase } from './database.ts';
import { printFigures } from './figures.ts';
import { usage, withChildren } from './processes.ts';
import {
  batchOf,
  createSenders,
  devicesOfSender,
  type Sender,
  type SentMethod,
  startIngest,
} from './senders.ts';

const batches = Number(process.argv[2] ?? 100);
const devices = devicesOfSender;

await using resources = new AsyncDisposableStack();
const { log, url, pid } = resources.use(await startBenchDatabase());

/** Rows a second of the batches, one after the other. */
async function rate(take: (batch: number) => Promise<unknown>): Promise<number> {
  const fromMs = performance.now();
  for (let i = 0; i < batches; i += 1) await take(i);
  return (batches * devices) / ((performance.now() - fromMs) / 1000);
}

/** Bytes of all stored checks on disk, with index. */
async function storedBytes(): Promise<number> {
  const { rows } = await withClient(url, (client) =>
    client.query(`select coalesce(sum(pg_total_relation_size(oid)), 0)::float8 as bytes from pg_class
      where relkind = 'r' and relname ~ '^checks_[0-9]'`),
  );
  return rows[0].bytes;
}

/** The ingest of the controller, with a number of agents. */
async function withIngest<T>(
  agents: number,
  measure: (
    senders: readonly Sender[],
    accept: (sender: Sender, batch: Batch) => Promise<void>,
  ) => Promise<T>,
): Promise<T> {
  const db = await createDb({ connection: { url }, log });
  try {
    await db.migrate();
    return await measure(await createSenders(db, agents), await startIngest(db, { log, retentionDays: 3 }));
  } finally {
    await db.close();
  }
}

/** A batch with one good result of every device; `before` counts the batches that follow, one a second. */
function batchBefore(sender: Sender, method: SentMethod, before: number): Batch {
  return batchOf(sender, method, sender.nowUs - before * 1_000_000);
}

/** Results a second of one agent, and bytes of a check. */
function ours(method: SentMethod): Promise<{ perSecond: number; bytes: number }> {
  return withIngest(1, async ([sender], accept) => {
    if (sender === undefined) throw new Error('no agent');
    const bytesBefore = await storedBytes();
    const perSecond = await rate((batch) => accept(sender, batchBefore(sender, method, batches - batch)));
    return { perSecond, bytes: ((await storedBytes()) - bytesBefore) / (batches * devices) };
  });
}

/** Batches of each agent that are not counted, because V8 compiles its code meanwhile. */
const warmUp = 20;

/**
 * Four agents at the same time, with batches that are decoded first. Results a second, and CPU milliseconds that 1,000
 * of them cost.
 */
function together(): Promise<{ perSecond: number; controllerMs: number; postgresMs: number }> {
  return withIngest(4, async (senders, accept) => {
    const all = warmUp + batches;
    const wire = senders.map((sender) =>
      Array.from({ length: all }, (_, at) => toBinary(BatchSchema, batchBefore(sender, 'TCP', all - at))),
    );
    const run = (from: number, to: number) =>
      Promise.all(
        senders.map(async (sender, agent) => {
          for (const bytes of wire[agent]?.slice(from, to) ?? [])
            await accept(sender, fromBinary(BatchSchema, bytes));
        }),
      );
    await run(0, warmUp);
    const [cpu, postgresS, fromMs] = [process.cpuUsage(), databaseS(), performance.now()];
    await run(warmUp, all);
    const seconds = (performance.now() - fromMs) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const thousands = (senders.length * batches * devices) / 1000;
    return {
      perSecond: (thousands * 1000) / seconds,
      controllerMs: (user + system) / 1000 / thousands,
      postgresMs: ((databaseS() - postgresS) * 1000) / thousands,
    };
  });
}

/** CPU seconds of PostgreSQL. */
function databaseS(): number {
  return withChildren(pid).reduce((sum, each) => sum + usage(each).cpuS, 0);
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
const four = await together();
const cost = { unit: 'ms per 1,000', better: 'less', peer: 'goal', theirs: 16 } as const;
printFigures(`Taking results (${batches} batches of ${devices})`, [
  ...peers,
  { what: 'four agents at once', unit, ours: four.perSecond, better, peer: 'goal', theirs: 60_000 },
  { ...cost, what: 'four agents at once: CPU of the controller', ours: four.controllerMs },
  { ...cost, what: 'four agents at once: CPU of PostgreSQL', ours: four.postgresMs },
  { ...stored, what: 'a stored TCP check, with index', ours: bytes },
  { ...stored, what: 'a stored HTTP check, with index', ours: httpBytes },
]);
