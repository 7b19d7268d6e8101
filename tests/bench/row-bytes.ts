// The bytes of a fresh check on disk. A day of good checks is stored as ingest stores them: batches of 300 checks of
// all devices, texts numbered. docs/bench.md explains the figures. Usage: node tests/bench/row-bytes.ts [devices]
// [checks a day]
import { dayUs } from '@vantage/domain';
import { createFakeClock } from '@vantage/kernel/testing';
import { type Db, startOfDay } from '@vantage/storage';
import { sampleDay } from '@vantage/storage/packed/testing/sample-day';
import { sql } from 'kysely';
import { createFactsNumbering } from '../../apps/controller/src/results/ingest/check-facts.ts';
import { insertChecks } from '../../apps/controller/src/results/ingest/insert-checks.ts';
import { startMigratedDatabase } from './database.ts';
import { type Figure, printFigures } from './figures.ts';

const [devices = 100, checks = 1440] = process.argv.slice(2).map(Number);
const batch = 300;
const boundBytes = 120;
const clock = createFakeClock(Date.UTC(2027, 2, 14, 12) * 1000);
const today = startOfDay(clock.nowUs());

await using database = await startMigratedDatabase({ clock, retentionDays: 1 });
const { db } = database;

/** Bytes of a check: the rows in their pages, and the indexes. */
async function bytesOf({ kysely }: Db): Promise<{ readonly rows: number; readonly index: number }> {
  const { rows } = await sql<{ rows: number; index: number; checks: number }>`
    select (select count(*)::float8 from check_rows) as checks, sum(pg_relation_size(inhrelid))::float8 as rows,
      sum(pg_indexes_size(inhrelid))::float8 as index
    from pg_inherits where inhparent = 'check_rows'::regclass and pg_relation_size(inhrelid) > 0`.execute(
    kysely,
  );
  const [{ checks: n, ...bytes } = { checks: 1, rows: 0, index: 0 }] = rows;
  return { rows: bytes.rows / n, index: bytes.index / n };
}

/** The day of a device. Devices begin one after the other. HTTP: an address, so it has no DNSTime and no SSLTime. */
function dayOf(method: 'TCP' | 'HTTP' | 'HTTPS', i: number) {
  const laterUs = Math.round((i * dayUs) / checks / devices);
  const sample = { deviceNo: i + 1, dayUs: today, checks };
  return sampleDay(method === 'TCP' ? 'TCP' : 'HTTP', sample).map((check) => {
    const shorterUs = method === 'HTTP' ? Math.round((check.dns_ms + check.ssl_ms) * 1000) : 0;
    return {
      ...check,
      ...(method === 'HTTP' ? { dns_ms: 0, ssl_ms: 0 } : {}),
      start_us: check.start_us + laterUs,
      end_us: check.end_us + laterUs - shorterUs,
      arrived_us: check.arrived_us + laterUs,
    };
  });
}

const figures: Figure[] = [];
for (const method of ['TCP', 'HTTP', 'HTTPS'] as const) {
  await sql`truncate check_rows, check_facts`.execute(db.kysely);
  const numberFacts = createFactsNumbering(() => 0);
  const all = Array.from({ length: devices }, (_, i) => dayOf(method, i))
    .flat()
    .toSorted((one, other) => one.start_us - other.start_us);
  for (let from = 0; from < all.length; from += batch) {
    const rows = all.slice(from, from + batch);
    await db.kysely.transaction().execute((trx) => insertChecks(trx, rows, numberFacts));
  }
  const { rows, index } = await bytesOf(db);
  const [unit, better, peer] = ['bytes', 'less', 'bound'] as const;
  figures.push(
    { what: `${method}: row`, unit, better, ours: rows, peer: '', theirs: '-' },
    { what: `${method}: indexes`, unit, better, ours: index, peer: '', theirs: '-' },
    { what: `${method}: both`, unit, better, ours: rows + index, peer, theirs: boundBytes },
  );
}
printFigures(`A day of ${devices} devices, ${checks} checks each`, figures);
