import { createHash } from 'node:crypto';
import { isGood } from '@vantage/domain';
import { startOfDay, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { type CheckRow, extendedOf, type NumberedCheck, type NumberFacts } from './check-row.ts';
import { createLastFacts, type KeptFacts, maxBytes } from './last-facts.ts';

/** A check whose facts are those of the check before. */
interface Repetition {
  readonly at: number;
  readonly row: CheckRow;
  readonly kept: KeptFacts;
  readonly digest: Buffer;
}

/** A device that has more facts in a day has others all the time: its rows keep them. */
const maxFacts = 500;

/** Longer facts do not repeat in practice. Those of an SNMP device with 64 interfaces have about 8,000 characters. */
const maxKeptLength = 12_288;

/**
 * Creates the function that numbers facts. Facts get a row in `check_facts` when a check repeats those of the check
 * before it, of the same agent, device and UTC day; so texts that differ from check to check cost nothing. The numbers
 * are given under the devices' locks. A new connection (`opened` counts them) may lead to a server that took over and
 * lacks the last commits, so all numbers are read again.
 */
export function createFactsNumbering(opened: () => number): NumberFacts {
  let lastFacts = createLastFacts(maxBytes);
  let openedBefore = opened();

  /** The facts of the check before where they are the same; else keeps these and returns undefined. */
  const repeated = (row: CheckRow): KeptFacts | undefined => {
    const [text, extended, dayUs] = [row.check_result, extendedOf(row), startOfDay(row.start_us)];
    const kept = lastFacts.get(row);
    if (kept?.dayUs === dayUs && kept.text === text && kept.extended === extended) return kept;
    lastFacts.set(row, { dayUs, text, extended, factsNo: null });
    return undefined;
  };

  return async (trx, rows) => {
    if (opened() !== openedBefore) lastFacts = createLastFacts(maxBytes);
    openedBefore = opened();
    const numbers = new Map<number, number>();
    const repetitions: Repetition[] = [];
    rows.forEach((row, at) => {
      if (!mayRepeat(row)) return;
      const kept = repeated(row);
      if (kept === undefined) return;
      if (kept.factsNo === null) repetitions.push({ at, row, kept, digest: digestOf(kept) });
      else numbers.set(at, kept.factsNo);
    });
    for (const [at, factsNo] of await numbered(trx, repetitions)) numbers.set(at, factsNo);
    return rows.map((row, at): NumberedCheck => ({ row, factsNo: numbers.get(at) ?? null }));
  };
}

/** Facts of failed checks and of checks on request rarely repeat; long facts would fill the memory. */
function mayRepeat(row: CheckRow): boolean {
  const extended = extendedOf(row);
  return (
    isGood(row.code) &&
    row.run_request_id === null &&
    row.check_result.length + (extended?.length ?? 0) <= maxKeptLength
  );
}

function digestOf({ text, extended }: KeptFacts): Buffer {
  const json = JSON.stringify([text, extended]);
  return createHash('sha256').update(json).digest().subarray(0, 16);
}

/**
 * The numbers of these repetitions, by index. A new number is not kept in memory, because the transaction may fail.
 */
async function numbered(
  trx: Kysely<Tables>,
  repetitions: readonly Repetition[],
): Promise<ReadonlyMap<number, number>> {
  const numbers = new Map<number, number>();
  if (repetitions.length === 0) return numbers;
  const stored = await storedFacts(trx, repetitions);
  const fresh: (Repetition & { readonly factsNo: number })[] = [];
  for (const one of repetitions) {
    const day = dayOf(one);
    const known = stored.get(day) ?? new Map<string, number>();
    stored.set(day, known);
    const digest = one.digest.toString('hex');
    const found = known.get(digest);
    if (found !== undefined) {
      numbers.set(one.at, found);
      if (!fresh.some(({ kept }) => kept === one.kept)) one.kept.factsNo = found;
    } else if (known.size < maxFacts) {
      const factsNo = Math.max(0, ...known.values()) + 1;
      known.set(digest, factsNo);
      numbers.set(one.at, factsNo);
      fresh.push({ ...one, factsNo });
    }
  }
  await insertFacts(trx, fresh);
  return numbers;
}

function dayOf({ row, kept }: Repetition): string {
  return `${row.device_no} ${kept.dayUs}`;
}

async function storedFacts(trx: Kysely<Tables>, repetitions: readonly Repetition[]) {
  const days = [...new Map(repetitions.map((one) => [dayOf(one), one])).values()];
  const { rows } = await sql<{ deviceNo: number; dayUs: number; factsNo: number; digest: string }>`
    select f.device_no as "deviceNo", f.day_us as "dayUs", f.facts_no as "factsNo", encode(f.digest, 'hex') as digest
    from unnest(${days.map(({ row }) => row.device_no)}::int[], ${days.map(({ kept }) => kept.dayUs)}::bigint[])
      as g (device_no, day_us)
    join check_facts f using (device_no, day_us)`.execute(trx);
  const byDay = new Map<string, Map<string, number>>();
  for (const { deviceNo, dayUs, factsNo, digest } of rows) {
    const day = `${deviceNo} ${dayUs}`;
    byDay.set(day, (byDay.get(day) ?? new Map<string, number>()).set(digest, factsNo));
  }
  return byDay;
}

async function insertFacts(
  trx: Kysely<Tables>,
  facts: readonly (Repetition & { readonly factsNo: number })[],
): Promise<void> {
  if (facts.length === 0) return;
  await sql`
    insert into check_facts (device_no, day_us, facts_no, digest, check_result, extended)
    select * from unnest(${facts.map(({ row }) => row.device_no)}::int[], ${facts.map(({ kept }) => kept.dayUs)}::bigint[],
      ${facts.map(({ factsNo }) => factsNo)}::smallint[], ${facts.map(({ digest }) => digest)}::bytea[],
      ${facts.map(({ kept }) => kept.text)}::text[], ${facts.map(({ kept }) => kept.extended)}::jsonb[])`.execute(
    trx,
  );
}

/** Deletes the facts of days that ended before `beforeUs`. */
export async function dropFacts(db: Kysely<Tables>, beforeUs: number): Promise<void> {
  await sql`delete from check_facts where day_us < ${startOfDay(beforeUs)}::bigint`.execute(db);
}
