import type { CheckKey } from '@vantage/domain';
import { type Kysely, sql } from 'kysely';
import { startOfDay } from '../partitions.ts';
import type { Tables } from '../schema.ts';
import { PackedBytesError } from './byte-reader.ts';
import type { PackedCheck } from './columns.ts';
import { type PackedDay, unpackDay, unpackMarks } from './pack.ts';
import { mayBePacked } from './pack-age.ts';

/** A span of a device's checks; `fromUs` inclusive, `toUs` exclusive. */
export interface CheckSpan {
  readonly deviceNo: number;
  readonly fromUs: number;
  readonly toUs: number;
}

interface StoredDay extends PackedDay {
  readonly device_no: number;
  readonly day_us: number;
}

const packedColumns = sql`p.device_no, p.day_us, p.checks, p.marks, p.facts`;

/**
 * The packed checks of a span, in the order of their starts. Read the rows of `checks` before: a check that is packed
 * meanwhile is then in both, not in none.
 */
export async function packedChecks(kysely: Kysely<Tables>, span: CheckSpan): Promise<PackedCheck[]> {
  const { deviceNo, fromUs, toUs } = span;
  const { rows } = await sql<StoredDay>`
    select ${packedColumns} from packed_checks p where device_no = ${deviceNo}::int
      and day_us >= ${startOfDay(fromUs)}::bigint and day_us < ${toUs}::bigint order by day_us`.execute(
    kysely,
  );
  return rows.flatMap(unpack).filter(({ start_us }) => start_us >= fromUs && start_us < toUs);
}

/** The packed checks of devices from a moment on, as `packedChecks`. One statement for all. */
export async function packedChecksSince(
  kysely: Kysely<Tables>,
  from: readonly { readonly deviceNo: number; readonly startUs: number }[],
): Promise<PackedCheck[]> {
  const { rows } = await sql<StoredDay & { readonly from_us: number }>`
    select ${packedColumns}, f.from_us
    from unnest(${from.map(({ deviceNo }) => deviceNo)}::int[], ${from.map(({ startUs }) => startOfDay(startUs))}::bigint[],
      ${from.map(({ startUs }) => startUs)}::bigint[]) as f (device_no, from_day_us, from_us)
    join packed_checks p on p.device_no = f.device_no and p.day_us >= f.from_day_us
    order by p.device_no, p.day_us`.execute(kysely);
  return rows.flatMap((day) => unpack(day).filter(({ start_us }) => start_us >= day.from_us));
}

/** Has the device packed checks of a day that the span touches? */
export async function hasPackedDay(
  kysely: Kysely<Tables>,
  { deviceNo, fromUs, toUs }: CheckSpan,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from packed_checks where device_no = ${deviceNo}::int and day_us >= ${startOfDay(fromUs)}::bigint
      and day_us < ${toUs}::bigint limit 1`.execute(kysely);
  return rows.length > 0;
}

const daysAtOnce = 8;

/**
 * The newest packed checks of a span that `isWanted` accepts, newest first, at most `most`; days are read until they
 * are enough.
 */
export async function newestPackedChecks(
  kysely: Kysely<Tables>,
  { deviceNo, fromUs, toUs }: CheckSpan,
  isWanted: (check: PackedCheck) => boolean,
  most: number,
): Promise<PackedCheck[]> {
  const found: PackedCheck[] = [];
  for (let untilUs = toUs; found.length < most; ) {
    const { rows } = await sql<StoredDay>`
      select ${packedColumns} from packed_checks p where device_no = ${deviceNo}::int
        and day_us >= ${startOfDay(fromUs)}::bigint and day_us < ${untilUs}::bigint
      order by day_us desc limit ${daysAtOnce}`.execute(kysely);
    for (const day of rows) {
      const checks = unpack(day).filter(({ start_us }) => start_us >= fromUs && start_us < toUs);
      found.push(...checks.filter(isWanted).toReversed());
      untilUs = day.day_us;
      if (found.length >= most) break;
    }
    if (rows.length < daysAtOnce) break;
  }
  return found.slice(0, most);
}

/** Of these checks those that are not packed. */
export async function notPacked<T extends { device_no: number; start_us: number; agent_no: number }>(
  kysely: Kysely<Tables>,
  checks: readonly T[],
  nowUs: number,
): Promise<readonly T[]> {
  const old = checks.filter(({ start_us }) => mayBePacked(start_us, nowUs));
  if (old.length === 0) return checks;
  const { rows } = await sql<Omit<StoredDay, 'facts'>>`
    select p.device_no, p.day_us, p.checks, p.marks from packed_checks p join (
      select distinct * from unnest(${old.map(({ device_no }) => device_no)}::int[],
        ${old.map(({ start_us }) => startOfDay(start_us))}::bigint[]) as g (device_no, day_us)) g using (device_no, day_us)`.execute(
    kysely,
  );
  const packed = new Set(
    rows.flatMap((day) =>
      unpackMarks(day.day_us, day).map((mark) => markOf({ ...mark, device_no: day.device_no })),
    ),
  );
  return packed.size === 0 ? checks : checks.filter((check) => !packed.has(markOf(check)));
}

/** Is this check packed? */
export async function isPacked(
  kysely: Kysely<Tables>,
  { deviceNo, startUs, agentNo }: CheckKey,
  nowUs: number,
): Promise<boolean> {
  const check = { device_no: deviceNo, start_us: startUs, agent_no: agentNo };
  return (await notPacked(kysely, [check], nowUs)).length === 0;
}

/** Rows and packed checks of one device together, in the order of their starts, each check once. Pure. */
export function mergeChecks<T extends { start_us: number; agent_no: number }>(
  rows: readonly T[],
  packed: readonly T[],
): T[] {
  const name = ({ start_us, agent_no }: T) => `${start_us}/${agent_no}`;
  const known = new Set(rows.map(name));
  const others = packed.filter((check) => !known.has(name(check)));
  return [...rows, ...others].sort((a, b) => a.start_us - b.start_us || a.agent_no - b.agent_no);
}

/** Throws a PackedBytesError that names device and day. */
function unpack(day: StoredDay): PackedCheck[] {
  try {
    return unpackDay(day.device_no, day.day_us, day);
  } catch (error) {
    if (!(error instanceof PackedBytesError)) throw error;
    const date = new Date(day.day_us / 1000).toISOString().slice(0, 10);
    throw new PackedBytesError(
      `the packed checks of device ${day.device_no} on ${date} cannot be read: ${error.message}`,
    );
  }
}

function markOf({
  device_no,
  start_us,
  agent_no,
}: {
  device_no: number;
  start_us: number;
  agent_no: number;
}) {
  return `${device_no}/${start_us}/${agent_no}`;
}
