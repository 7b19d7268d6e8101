import { type CheckKey, checkId, dayUs, hourUs, resultCode } from '@vantage/domain';
import { type Reader, startOfDay } from '@vantage/storage';
import {
  type CheckSpan,
  checksTable,
  hasPackedDay,
  isPacked,
  mayBePacked,
  mergeChecks,
  newestPackedChecks,
  type PackedCheck,
  packedChecks,
} from '@vantage/storage/packed';
import { rowCount } from '@vantage/storage/row-count';
import { type RawBuilder, sql } from 'kysely';
import { readLocationNames } from '../statistics/statistics-store.ts';
import type { HistoryFilter } from './list-filters.ts';

/** A check as it is kept, with the names that people know. */
export interface NamedCheck {
  readonly device_no: number;
  readonly start_us: number;
  readonly agent_no: number;
  readonly location: string | null;
  readonly code: number;
  readonly perf: number;
  readonly block_ms: number;
  readonly dns_ms: number;
  readonly connect_ms: number;
  readonly ssl_ms: number;
  readonly ttfb_ms: number;
  readonly ttlb_ms: number;
  readonly data_size: number;
  readonly check_result: string;
  /** Its values by the numbers of their series. */
  readonly measured: readonly (number | null)[] | null;
}

/** A check with everything that is known about it. */
export interface ExtendedFacts extends NamedCheck {
  readonly device_id: string;
  readonly end_us: number;
  readonly arrived_us: number;
  readonly attempt: number;
  readonly revision: number;
  readonly retry_id: string | null;
  readonly agent_id: string | null;
  readonly agent: string | null;
  readonly extended: unknown;
}

const columns = sql`c.device_no, c.start_us, c.agent_no, l.name as location, c.code, c.perf, c.block_ms, c.dns_ms, c.connect_ms,
  c.ssl_ms, c.ttfb_ms, c.ttlb_ms, c.data_size, c.check_result, c.measured`;

/** The checks of a device to list. */
export interface CheckPage extends HistoryFilter {
  readonly codes: readonly number[] | undefined;
  /** Numbers of PerfStat. */
  readonly perfs: readonly number[] | undefined;
  /** Checks older than this one only. */
  readonly before: CheckKey | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** A device as an account names it. */
export interface NamedDevice {
  readonly accountNo: number;
  readonly deviceId: string;
}

/** A device's number and a page of its checks. */
interface FoundChecks {
  readonly deviceNo: number;
  readonly rows: readonly NamedCheck[];
}

/** Checks of today and of these days before are read first: a plan for all days opens the partition of each. */
const recentDays = 7;
/** A check may start this long before its device was created, by the clock of its agent. */
const clocksDifferUs = hourUs;

/**
 * A device's checks, newest first, one row more than `limit` to know whether there are more, and the device's number;
 * undefined where the account has no such device. One statement, because the device is found in it too.
 */
export async function listChecks(
  { kysely }: Reader,
  device: NamedDevice,
  page: CheckPage,
  nowUs: number,
): Promise<FoundChecks | undefined> {
  const recentFromUs = startOfDay(nowUs) - recentDays * dayUs;
  if (isAboutRecent(page, recentFromUs)) {
    const { rows } = await checksPage(device, page, recentFromUs).execute(kysely);
    const firstUs = Math.max((rows[0]?.created_us ?? nowUs) - clocksDifferUs, page.fromUs ?? 0);
    if (rows.length > page.limit || firstUs >= recentFromUs)
      return withPacked(kysely, foundChecks(rows), { device, page: { ...page, fromUs: firstUs }, nowUs });
  }
  const { rows } = await checksPage(device, page).execute(kysely);
  return withPacked(kysely, foundChecks(rows), { device, page, nowUs });
}

/**
 * The rows of a page with the packed checks among them. The packed ones are read last: a check that is packed meanwhile
 * is in both, not in none.
 */
async function withPacked(
  kysely: Reader['kysely'],
  found: FoundChecks | undefined,
  { device, page, nowUs }: { readonly device: NamedDevice; readonly page: CheckPage; readonly nowUs: number },
): Promise<FoundChecks | undefined> {
  if (found === undefined) return undefined;
  const { deviceNo, rows } = found;
  const { limit, offset } = page;
  // With packed checks among them the page begins at newer rows, never at older ones.
  const span = packedSpan(deviceNo, page, { nowUs, oldestUs: rows[limit]?.start_us ?? 0 });
  if (span === undefined || !(await hasPackedDay(kysely, span))) return found;
  const first = { ...page, limit: limit + offset, offset: 0 };
  const own =
    offset === 0 ? rows : (foundChecks((await checksPage(device, first).execute(kysely)).rows)?.rows ?? []);
  const packed = await newestPackedChecks(kysely, span, (check) => isOnPage(page, check), first.limit + 1);
  const names = await readLocationNames({ kysely }, [
    ...new Set(packed.map(({ location_no }) => location_no)),
  ]);
  const shown = packed.map((check) => ({ ...check, location: names.get(check.location_no)?.name ?? null }));
  const merged = mergeChecks<NamedCheck>(own, shown).toReversed();
  return { deviceNo, rows: merged.slice(offset, offset + limit + 1) };
}

/** The span in which the packed checks of a page are searched; undefined: the page has none. */
function packedSpan(
  deviceNo: number,
  { fromUs = 0, untilUs, before, codes }: CheckPage,
  { nowUs, oldestUs }: { readonly nowUs: number; readonly oldestUs: number },
): CheckSpan | undefined {
  const span = {
    deviceNo,
    fromUs: Math.max(fromUs, oldestUs),
    toUs: Math.min(untilUs ?? nowUs, (before?.startUs ?? nowUs) + 1),
  };
  const isAboutGood = codes === undefined || codes.includes(resultCode.ok);
  return isAboutGood && mayBePacked(span.fromUs, nowUs) ? span : undefined;
}

function isOnPage({ locationNos, codes, perfs, before }: CheckPage, check: PackedCheck): boolean {
  const { start_us: startUs, agent_no: agentNo } = check;
  return (
    (locationNos === undefined || locationNos.includes(check.location_no)) &&
    (codes === undefined || codes.includes(check.code)) &&
    (perfs === undefined || perfs.includes(check.perf)) &&
    (before === undefined ||
      startUs < before.startUs ||
      (startUs === before.startUs && agentNo < before.agentNo))
  );
}

/** May the page be full of checks of the last days? Filters may leave few of them. */
function isAboutRecent(
  { codes, perfs, locationNos, before, untilUs }: CheckPage,
  recentFromUs: number,
): boolean {
  const endUs = Math.min(before?.startUs ?? Number.POSITIVE_INFINITY, untilUs ?? Number.POSITIVE_INFINITY);
  const isFiltered = codes !== undefined || perfs !== undefined || locationNos !== undefined;
  return !isFiltered && endUs > recentFromUs;
}

/** A device with one of its checks, or without. */
type CheckOfDeviceRow = { readonly own_no: number; readonly created_us: number } & (
  | NamedCheck
  | { readonly start_us: null }
);

function foundChecks(rows: readonly CheckOfDeviceRow[]): FoundChecks | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  return { deviceNo: first.own_no, rows: rows.filter((row) => row.start_us !== null) };
}

/**
 * The statement of `listChecks`. `recentFromUs` is a literal, so a generic plan reads only the partitions from there
 * on. Conditions that the page does not need are left out of the text.
 */
export function checksPage({ accountNo, deviceId }: NamedDevice, page: CheckPage, recentFromUs = 0) {
  const { fromUs, untilUs, locationNos, codes, perfs, before, limit, offset } = page;
  const conditions = [
    sql`c.start_us >= ${sql.lit(recentFromUs)}`,
    fromUs !== undefined && sql`c.start_us >= ${fromUs}::bigint`,
    untilUs !== undefined && sql`c.start_us < ${untilUs}::bigint`,
    // The sums keep PostgreSQL from its statistics of Locations and of PerfStat.
    locationNos !== undefined && sql`c.location_no + 0 = any (${locationNos}::int[])`,
    codes !== undefined && sql`c.code = any (${codes}::smallint[])`,
    // The words of the partial index.
    codes !== undefined && !codes.includes(resultCode.ok) && sql`c.code <> 1`,
    perfs !== undefined && sql`c.perf + 0 = any (${perfs}::int[])`,
    before !== undefined &&
      sql`(c.start_us, c.agent_no) < (${before.startUs}::bigint, ${before.agentNo}::int) and c.start_us <= ${before.startUs}::bigint`,
  ].filter((condition) => condition !== false);
  return sql<CheckOfDeviceRow>`
    select d.device_no as own_no, d.created_us, ${columns} from devices d
    left join lateral (
      select * from checks c where c.device_no = d.device_no and ${sql.join(conditions, sql` and `)}
      order by c.start_us desc, c.agent_no desc limit ${rowCount(limit + 1)} offset ${rowCount(offset)}) c on true
    left join locations l on l.location_no = c.location_no
    where d.device_id = ${deviceId} and d.account_no = ${accountNo}::int
    order by c.start_us desc, c.agent_no desc`;
}

/** Is this check stored? */
export async function hasCheck({ kysely }: Reader, key: CheckKey, nowUs: number): Promise<boolean> {
  const row = await kysely
    .selectFrom('checks')
    .select('device_no')
    .where('device_no', '=', key.deviceNo)
    .where('start_us', '=', key.startUs)
    .where('agent_no', '=', key.agentNo)
    .executeTakeFirst();
  return row !== undefined || isPacked(kysely, key, nowUs);
}

/** One check of an account; undefined also when its device is gone or another account's. */
export async function findCheck(
  { kysely }: Reader,
  accountNo: number,
  key: CheckKey,
): Promise<ExtendedFacts | undefined> {
  const isMeant = sql`device_no = ${key.deviceNo} and start_us = ${key.startUs} and agent_no = ${key.agentNo}`;
  const { rows } = await checkOf(sql`(select * from checks where ${isMeant})`, accountNo).execute(kysely);
  if (rows[0] !== undefined) return rows[0];
  const { deviceNo, startUs, agentNo } = key;
  const packed = await packedChecks(kysely, { deviceNo, fromUs: startUs, toUs: startUs + 1 });
  const own = packed.filter((check) => check.agent_no === agentNo);
  if (own.length === 0) return undefined;
  const measured = own[0]?.measured ?? null;
  const withValues = sql`(select *, ${measured}::float8[] as measured from ${checksTable(own)})`;
  return (await checkOf(withValues, accountNo).execute(kysely)).rows[0];
}

function checkOf(check: RawBuilder<unknown>, accountNo: number) {
  return sql<ExtendedFacts>`
    with c as materialized ${check}
    select ${columns}, d.device_id, c.end_us, c.arrived_us, c.attempt, c.revision, c.retry_id, c.extended, a.agent_id,
      a.name as agent
    from c join devices d using (device_no)
      left join locations l on l.location_no = c.location_no left join agents a on a.agent_no = c.agent_no
    where d.account_no = ${accountNo}`;
}

/** The check's address. */
export function idOf(row: Pick<NamedCheck, 'device_no' | 'start_us' | 'agent_no'>): string {
  return checkId({ deviceNo: row.device_no, startUs: row.start_us, agentNo: row.agent_no });
}
