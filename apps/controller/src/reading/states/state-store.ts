import { hourUs, minuteUs } from '@vantage/domain';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** A tag or Location as a row of states names it. */
interface Named {
  readonly device_no: number;
  readonly id: string;
  readonly name: string;
}

/** The last check of a device. */
export interface LastCheck {
  readonly device_no: number;
  readonly start_us: number;
  readonly code: number;
  readonly request_ms: number;
}

/** The ids of these devices of the account, of those deleted within a day too. */
export async function idsOf(
  kysely: Kysely<Tables>,
  accountNo: number,
  deviceNos: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const { rows } = await sql<{ device_no: number; device_id: string }>`
    select device_no, device_id from devices where account_no = ${accountNo} and device_no = any(${deviceNos}::int[])
    union all select device_no, device_id from deleted_devices
      where account_no = ${accountNo} and device_no = any(${deviceNos}::int[])`.execute(kysely);
  return new Map(rows.map(({ device_no, device_id }) => [device_no, device_id]));
}

/** The tags of these devices by name. */
export async function tagsOf(
  kysely: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<readonly Named[]> {
  const { rows } = await sql<Named>`
    select dt.device_no, t.tag_id as id, t.name from device_tags dt join tags t using (tag_no)
    where dt.device_no = any(${deviceNos}::int[]) order by t.name, t.tag_no`.execute(kysely);
  return rows;
}

/** The Locations of these devices in the order of their rotation. */
export async function locationsOf(
  kysely: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<readonly Named[]> {
  const { rows } = await sql<Named>`
    select dl.device_no, l.location_id as id, l.name from device_locations dl join locations l using (location_no)
    where dl.device_no = any(${deviceNos}::int[]) order by dl.rotation_index`.execute(kysely);
  return rows;
}

/** The masters of these devices. */
export async function mastersOf(
  kysely: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<readonly Named[]> {
  const { rows } = await sql<Named>`
    select d.device_no, m.device_id as id, m.short_name as name from devices d join devices m on m.device_no = d.master_no
    where d.device_no = any(${deviceNos}::int[])`.execute(kysely);
  return rows;
}

/**
 * The last checks of these devices within a day; the last two intervals are looked at first, as lists of devices do.
 */
export async function lastChecksOf(
  kysely: Kysely<Tables>,
  deviceNos: readonly number[],
  nowUs: number,
): Promise<readonly LastCheck[]> {
  const [dayAgoUs, toUs] = [nowUs - 24 * hourUs, nowUs + hourUs];
  const lastFrom = (fromUs: ReturnType<typeof sql>) => sql`
    select start_us, code, dns_ms + connect_ms + ssl_ms + ttfb_ms + ttlb_ms as request_ms
    from checks where device_no = d.device_no and start_us > ${fromUs} and start_us < ${toUs}::bigint
    order by start_us desc, agent_no desc limit 1`;
  const ofLate = sql`${nowUs}::bigint - d.frequency_min * ${2 * minuteUs}::bigint`;
  const { rows } = await sql<LastCheck>`
    select d.device_no, c.start_us, c.code, c.request_ms from devices d
    cross join lateral (
      select * from ((${lastFrom(ofLate)}) union all (${lastFrom(sql`${dayAgoUs}::bigint`)})) either limit 1) c
    where d.device_no = any(${deviceNos}::int[])`.execute(kysely);
  return rows;
}
