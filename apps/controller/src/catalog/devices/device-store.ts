import { type DeviceStatus, dayUs, hourUs, minuteUs } from '@vantage/domain';
import { type Db, executeCached, startOfDay, type Tables } from '@vantage/storage';
import { statusSql } from '@vantage/storage/device-status';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf } from '../../resources/field-table.ts';
import { deviceTable, listedTable } from './device-table.ts';

/** A device as a list shows it; times are microseconds since 1970. */
export interface EntryRow extends RowOf<typeof listedTable> {
  readonly device_no: number;
  readonly device_id: string;
  readonly account_no: number;
  readonly method: string;
  readonly url: string;
  readonly created_us: number;
  readonly status: DeviceStatus;
  readonly since_us: number;
  readonly retrying: boolean;
  readonly maintenance_until_us: number | null;
  /** The device_id of the master that is Down while this device is Down too. */
  readonly down_because: string | null;
}

/** A row with what its device's last check of the last hours ended with (`recentDays`); null: there was none. */
export interface CheckedRow {
  readonly last_result: string | null;
}

/** A device with all that its GET shows and its PUT needs. */
export interface DeviceRow extends EntryRow, RowOf<typeof deviceTable> {
  readonly options: Readonly<Record<string, unknown>>;
  readonly sealed: Uint8Array;
  readonly nschedule_id: string | null;
  readonly nschedule_no: number | null;
  readonly mschedule_id: string | null;
  readonly mschedule_no: number | null;
  readonly master_id: string | null;
  readonly master_no: number | null;
  readonly locations: readonly LocationRow[];
  readonly locations_given: boolean;
  readonly tags: readonly TagRow[];
  readonly warnings: readonly string[];
  readonly updated_us: number;
  /** It has a maintenance schedule, or a window that has not ended. */
  readonly has_maintenance: boolean;
}

/** A tag of a device. */
export interface TagRow {
  readonly tag_no: number;
  readonly tag_id: string;
  readonly name: string;
}

/** A Location that a device is checked from. */
export interface LocationRow {
  readonly location_no: number;
  readonly location_id: string;
  readonly name: string;
  readonly public_targets_only: boolean;
}

const listedColumns = columnsSql(columnsOf(listedTable));
const otherColumns = columnsSql(
  columnsOf(deviceTable).filter((column) => !columnsOf(listedTable).some((listed) => listed === column)),
);

function columnsSql(columns: readonly string[]): RawBuilder<unknown> {
  return sql.raw(columns.map((column) => `d.${column}`).join(', '));
}

/**
 * The columns of an entry, for a query that has the table `devices` as d and the joins of its status (`device_state` as
 * ds).
 */
export const entryColumns = ({
  status,
  sinceUs,
  retrying,
  maintenanceUntilUs,
}: ReturnType<typeof statusSql>) => sql`
  d.device_no, d.device_id, d.account_no, d.method, d.url, ${listedColumns}, d.created_us, ${maintenanceUntilUs} as maintenance_until_us,
  case when ds.status = 'Down' then (select b.device_id from devices b join device_state bs on bs.device_no = b.device_no
    where b.device_no = d.master_no and bs.status = 'Down') end as down_because,
  ${status} as status, ${sinceUs} as since_us, ${retrying} as retrying`;

/**
 * The column of `CheckedRow`, for a query that has the table `devices` as d. The bounds are literals, so a generic plan
 * reads the partitions of these days only; the text changes twice a day. No check starts an hour
 * after it arrives. The last two intervals come first: of more, PostgreSQL reads all index entries on a page to find
 * the last one.
 */
export function lastResultColumn(
  nowUs: number,
  { fromUs, toUs }: RecentDays = recentDays(nowUs),
): RawBuilder<unknown> {
  const lastAfter = (afterUs: RawBuilder<unknown>) => sql`
    (select c.check_result from checks c where c.device_no = d.device_no and c.start_us > ${afterUs}
      and c.start_us >= ${sql.lit(fromUs)} and c.start_us < ${sql.lit(toUs)} order by c.start_us desc, c.agent_no desc limit 1)`;
  const ofLate = sql`${nowUs}::bigint - d.frequency_min * ${sql.lit(2 * minuteUs)}::bigint`;
  return sql`coalesce(${lastAfter(ofLate)}, ${lastAfter(sql`0`)}) as last_result`;
}

/** One device with everything. */
export async function readDevice(
  db: Kysely<Tables>,
  deviceNo: number,
  nowUs: number,
): Promise<DeviceRow | undefined> {
  const [row] = await executeCached(db, 'device', [nowUs, deviceNo], ([now, no]) =>
    selectDevice<DeviceRow>(now, sql``, sql`d.device_no = ${no}::int`),
  );
  return row;
}

/** These devices with everything, in no order. */
export async function readDevices(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
  nowUs: number,
): Promise<readonly DeviceRow[]> {
  const where = sql`d.device_no = any(${deviceNos}::int[])`;
  const { rows } = await selectDevice<DeviceRow>(nowUs, sql``, where).execute(db);
  return rows;
}

/** One device with everything and the result of its last check, by its number or by an id of an account. */
export async function findDevice(
  db: Kysely<Tables>,
  key: { readonly deviceNo: number } | { readonly accountNo: number; readonly deviceId: string },
  nowUs: number,
): Promise<(DeviceRow & CheckedRow) | undefined> {
  const days = recentDays(nowUs);
  const ofDays = `${days.fromUs} ${days.toUs}`;
  const select = (now: number, where: RawBuilder<unknown>) =>
    selectDevice<DeviceRow & CheckedRow>(now, sql`, ${lastResultColumn(now, days)}`, where);
  const [row] =
    'deviceNo' in key
      ? await executeCached(db, `checked device ${ofDays}`, [nowUs, key.deviceNo], ([now, no]) =>
          select(now, sql`d.device_no = ${no}::int`),
        )
      : await executeCached(
          db,
          `checked device by id ${ofDays}`,
          [nowUs, key.accountNo, key.deviceId],
          ([now, no, id]) => select(now, sql`d.device_id = ${id} and d.account_no = ${no}::int`),
        );
  return row;
}

function selectDevice<Row>(
  nowUs: number,
  more: RawBuilder<unknown>,
  where: RawBuilder<unknown>,
): RawBuilder<Row> {
  const shown = statusSql(nowUs);
  return sql<Row>`
    select ${entryColumns(shown)}${more}, d.options, d.sealed, ${otherColumns}, d.locations_given, d.warnings,
      (d.mschedule_no is not null or exists (select 1 from maintenance_windows w
        where w.device_no = d.device_no and w.to_us > ${nowUs}::bigint)) as has_maintenance,
      d.updated_us, d.nschedule_no, n.nschedule_id, d.mschedule_no, m.mschedule_id, d.master_no, o.device_id as master_id,
      coalesce((select json_agg(json_build_object('location_no', l.location_no, 'location_id', l.location_id, 'name', l.name,
          'public_targets_only', l.public_targets_only) order by dl.rotation_index)
        from device_locations dl join locations l using (location_no) where dl.device_no = d.device_no), '[]') as locations,
      coalesce((select json_agg(json_build_object('tag_no', t.tag_no, 'tag_id', t.tag_id, 'name', t.name) order by t.name, t.tag_no)
        from device_tags dt join tags t using (tag_no) where dt.device_no = d.device_no), '[]') as tags
    from devices d ${shown.joins}
      left join nschedules n on n.nschedule_no = d.nschedule_no
      left join mschedules m on m.mschedule_no = d.mschedule_no
      left join devices o on o.device_no = d.master_no
    where ${where}`;
}

/** Gives the text of the last check of each of these devices, of the older ones too; undefined: it has none. */
export async function completeResults(
  { kysely }: Pick<Db, 'kysely'>,
  rows: readonly (EntryRow & CheckedRow)[],
  nowUs: number,
): Promise<(row: EntryRow & CheckedRow) => string | undefined> {
  const silent = rows.filter((row) => row.last_result === null && row.created_us < recentDays(nowUs).fromUs);
  const older =
    silent.length === 0
      ? new Map<number, string>()
      : await lastOf(
          kysely,
          silent.map(({ device_no }) => device_no),
        );
  return (row) => row.last_result ?? older.get(row.device_no);
}

/** The days in which the last result of a device is looked for first. */
export interface RecentDays {
  readonly fromUs: number;
  readonly toUs: number;
}

/** They begin with the day of twice the longest Frequency ago. */
export function recentDays(nowUs: number): RecentDays {
  return { fromUs: startOfDay(nowUs - 2 * hourUs), toUs: startOfDay(nowUs + hourUs) + dayUs };
}

async function lastOf(db: Kysely<Tables>, deviceNos: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await sql<{ device_no: number; check_result: string }>`
    select asked.device_no, c.check_result from unnest(${deviceNos}::int[]) as asked (device_no)
    cross join lateral (
      select check_result from (
        (select start_us, check_result from checks where device_no = asked.device_no
          order by start_us desc, agent_no desc limit 1)
        union all select last_us, last_result from packed_devices where device_no = asked.device_no) both_kinds
      order by start_us desc limit 1) c`.execute(db);
  return new Map(rows.map((row) => [row.device_no, row.check_result]));
}
