import type { CheckKey } from '@vantage/domain';
import { type Kysely, sql } from 'kysely';
import { startOfDay } from '../partitions/partition-days.ts';
import type { Tables } from '../schema/tables.ts';
import { PackedBytesError } from './byte-reader.ts';
import { askPacked } from './history-away.ts';
import { type PackedDay, unpackDay, unpackKeys } from './pack.ts';
import { mayBePacked } from './pack-age.ts';
import type { PackedCheck } from './packed-columns.ts';
import { mayOverlap, packedSpans } from './packed-devices.ts';

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

const keyColumns = sql`p.device_no, p.day_us, p.checks, p.marks as keys`;
const packedColumns = sql`${keyColumns}, p.facts`;

/**
 * The packed checks of a span, by start time. Read the rows of `checks` before: a check that is packed meanwhile is
 * then seen twice, never missed. Like each reader of packed days it rejects with HistoryAway where their server does
 * not answer.
 */
export async function packedChecks(kysely: Kysely<Tables>, span: CheckSpan): Promise<PackedCheck[]> {
  return (await hasPackedDay(kysely, span)) ? storedPackedChecks(kysely, span) : [];
}

/** `packedChecks` for the packer, which does not rely on the table `packed_devices`. */
export async function storedPackedChecks(kysely: Kysely<Tables>, span: CheckSpan): Promise<PackedCheck[]> {
  const { deviceNo, fromUs, toUs } = span;
  const { rows } = await askPacked(() =>
    sql<StoredDay>`
      select ${packedColumns} from packed_checks p where device_no = ${deviceNo}::int
        and day_us >= ${startOfDay(fromUs)}::bigint and day_us < ${toUs}::bigint order by day_us`.execute(
      kysely,
    ),
  );
  return rows.flatMap(unpack).filter(({ start_us }) => start_us >= fromUs && start_us < toUs);
}

/** Like `packedChecks`, for several devices in one statement: the checks from a start time on. */
export async function packedChecksSince(
  kysely: Kysely<Tables>,
  from: readonly { readonly deviceNo: number; readonly startUs: number }[],
): Promise<PackedCheck[]> {
  const spans = await packedSpans(
    kysely,
    from.map(({ deviceNo }) => deviceNo),
  );
  const asked = from.filter(({ deviceNo, startUs }) =>
    mayOverlap(spans.get(deviceNo), { fromUs: startUs, toUs: Number.POSITIVE_INFINITY }),
  );
  if (asked.length === 0) return [];
  const { rows } = await askPacked(() =>
    sql<StoredDay & { readonly from_us: number }>`
      select ${packedColumns}, f.from_us
      from unnest(${asked.map(({ deviceNo }) => deviceNo)}::int[],
        ${asked.map(({ startUs }) => startOfDay(startUs))}::bigint[], ${asked.map(({ startUs }) => startUs)}::bigint[])
        as f (device_no, from_day_us, from_us)
      join packed_checks p on p.device_no = f.device_no and p.day_us >= f.from_day_us
      order by p.device_no, p.day_us`.execute(kysely),
  );
  return rows.flatMap((day) => unpack(day).filter(({ start_us }) => start_us >= day.from_us));
}

/** Whether a packed day of the device may overlap the span. Asks no worker. */
export async function hasPackedDay(kysely: Kysely<Tables>, span: CheckSpan): Promise<boolean> {
  return mayOverlap((await packedSpans(kysely, [span.deviceNo])).get(span.deviceNo), span);
}

const daysPerRead = 8;

/**
 * The newest packed checks of a span that `matches` accepts, newest first, at most `limit`; reads only as many days.
 */
export async function newestPackedChecks(
  kysely: Kysely<Tables>,
  span: CheckSpan,
  matches: (check: PackedCheck) => boolean,
  limit: number,
): Promise<PackedCheck[]> {
  const { deviceNo, fromUs, toUs } = span;
  if (!(await hasPackedDay(kysely, span))) return [];
  const found: PackedCheck[] = [];
  for (let untilUs = toUs; found.length < limit; ) {
    const { rows } = await askPacked(() =>
      sql<StoredDay>`
        select ${packedColumns} from packed_checks p where device_no = ${deviceNo}::int
          and day_us >= ${startOfDay(fromUs)}::bigint and day_us < ${untilUs}::bigint
        order by day_us desc limit ${daysPerRead}`.execute(kysely),
    );
    for (const day of rows) {
      const checks = unpack(day).filter(({ start_us }) => start_us >= fromUs && start_us < toUs);
      found.push(...checks.filter(matches).toReversed());
      untilUs = day.day_us;
      if (found.length >= limit) break;
    }
    if (rows.length < daysPerRead) break;
  }
  return found.slice(0, limit);
}

/** The checks that are not packed. */
export async function notPacked<T extends { device_no: number; start_us: number; agent_no: number }>(
  kysely: Kysely<Tables>,
  checks: readonly T[],
  nowUs: number,
): Promise<readonly T[]> {
  const old = await inPackedSpan(kysely, checks, nowUs);
  if (old.length === 0) return checks;
  const { rows } = await askPacked(() =>
    sql<Omit<StoredDay, 'facts'>>`
      select ${keyColumns} from packed_checks p join (
        select distinct * from unnest(${old.map(({ device_no }) => device_no)}::int[],
          ${old.map(({ start_us }) => startOfDay(start_us))}::bigint[]) as g (device_no, day_us)) g using (device_no, day_us)`.execute(
      kysely,
    ),
  );
  const packed = new Set(
    rows.flatMap((day) =>
      unpackKeys(day.day_us, day).map((key) => keyOf({ ...key, device_no: day.device_no })),
    ),
  );
  return packed.size === 0 ? checks : checks.filter((check) => !packed.has(keyOf(check)));
}

/** The checks of the device's last packed day or an earlier day. Asks no worker. */
export async function inPackedSpan<T extends { device_no: number; start_us: number }>(
  kysely: Kysely<Tables>,
  checks: readonly T[],
  nowUs: number,
): Promise<readonly T[]> {
  const old = checks.filter(({ start_us }) => mayBePacked(start_us, nowUs));
  if (old.length === 0) return [];
  const spans = await packedSpans(
    kysely,
    old.map(({ device_no }) => device_no),
  );
  return old.filter(({ device_no, start_us }) =>
    mayOverlap(spans.get(device_no), { fromUs: start_us, toUs: Number.POSITIVE_INFINITY }),
  );
}

/** Whether this check is packed. */
export async function isPacked(
  kysely: Kysely<Tables>,
  { deviceNo, startUs, agentNo }: CheckKey,
  nowUs: number,
): Promise<boolean> {
  const check = { device_no: deviceNo, start_us: startUs, agent_no: agentNo };
  return (await notPacked(kysely, [check], nowUs)).length === 0;
}

/** The rows and packed checks of one device by start time, each check once. Pure. */
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

function keyOf({ device_no, start_us, agent_no }: { device_no: number; start_us: number; agent_no: number }) {
  return `${device_no}/${start_us}/${agent_no}`;
}
