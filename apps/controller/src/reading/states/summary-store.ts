import type { DeviceStatus } from '@vantage/domain';
import type { Tables } from '@vantage/storage';
import { deviceGroups } from '@vantage/storage/device-groups';
import { type Kysely, sql } from 'kysely';

/** The number of devices of a group with a status. */
export interface StatusCount {
  readonly group_no: number;
  readonly status: DeviceStatus;
  readonly devices: number;
}

/** The whole account as a group. */
const all = 0;

/** The devices of an account by status. */
export async function countByStatus(
  kysely: Kysely<Tables>,
  accountNo: number,
  nowUs: number,
): Promise<readonly StatusCount[]> {
  const { rows } = await sql<StatusCount>`
    with ${deviceGroups(accountNo, nowUs)}
    select ${all}::int as group_no, status, sum(devices)::int as devices from (
      select status, devices from groups
      union all select g.status, -1 from apart a join groups g on g.location_nos = a.location_nos and g.base = a.base
      union all select status, 1 from apart) counted
    group by status having sum(devices) <> 0`.execute(kysely);
  return rows;
}

/** The devices of each Location of an account by status; the number of the Location is that of the group. */
export async function countByLocation(
  kysely: Kysely<Tables>,
  accountNo: number,
  nowUs: number,
): Promise<readonly StatusCount[]> {
  const { rows } = await sql<StatusCount>`
    with ${deviceGroups(accountNo, nowUs)}
    select location_no as group_no, status, sum(devices)::int as devices from (
      select location_nos, status, devices from groups
      union all select g.location_nos, g.status, -1 from apart a
        join groups g on g.location_nos = a.location_nos and g.base = a.base
      union all select location_nos, status, 1 from apart) counted, unnest(location_nos) as location_no
    group by 1, 2 having sum(devices) <> 0`.execute(kysely);
  return rows;
}

/**
 * The devices with one of the tags of each group by status. A device with several tags of a group counts once there.
 */
export async function countByTags(
  kysely: Kysely<Tables>,
  accountNo: number,
  { groups, nowUs }: { readonly groups: readonly (readonly number[])[]; readonly nowUs: number },
): Promise<readonly StatusCount[]> {
  const tagNos = groups.flat();
  const groupNos = groups.flatMap((tags, at) => tags.map(() => at));
  const { rows } = await sql<StatusCount>`
    with ${deviceGroups(accountNo, nowUs)},
    tagged as materialized (
      select distinct g.group_no, dt.device_no
      from unnest(${groupNos}::int[], ${tagNos}::int[]) as g (group_no, tag_no) join device_tags dt using (tag_no))
    select t.group_no, coalesce(a.status, g.status, 'Unknown') as status, count(*)::int as devices
    from tagged t
    left join device_state s on s.device_no = t.device_no and s.account_no = ${accountNo}::int
    left join groups g on g.location_nos = s.location_nos and g.base = s.status
    left join apart a on a.device_no = t.device_no
    group by 1, 2`.execute(kysely);
  return rows;
}

/** The tags of an account by name. */
export async function readTags(kysely: Kysely<Tables>, accountNo: number) {
  const { rows } = await sql<{ readonly tag_no: number; readonly tag_id: string; readonly name: string }>`
    select tag_no, tag_id, name from tags where account_no = ${accountNo}::int order by name, tag_no`.execute(
    kysely,
  );
  return rows;
}

/** The Locations of an account by name. */
export async function readLocations(kysely: Kysely<Tables>, accountNo: number) {
  const { rows } = await sql<{
    readonly location_no: number;
    readonly location_id: string;
    readonly name: string;
    readonly online: boolean;
  }>`
    select location_no, location_id, name, online from locations
    where account_no = ${accountNo}::int and deleted_at is null order by name, location_no`.execute(kysely);
  return rows;
}

/** Other figures of an account. */
export interface AccountFigures {
  readonly paused: number;
  readonly retrying: number;
  readonly open: number;
  readonly acknowledged: number;
  readonly snoozed: number;
  /** Open alerts whose messages are held back. */
  readonly suppressed: number;
  /** Until when the agents of the account reported their checks, microseconds since 1970; null: never. */
  readonly reported_us: number | null;
}

/** Reads the figures that are no statuses. An acknowledged alert does not also count as snoozed. */
export async function readFigures(
  kysely: Kysely<Tables>,
  accountNo: number,
  nowUs: number,
): Promise<AccountFigures> {
  const { rows } = await sql<AccountFigures>`
    select (select coalesce(sum(devices), 0)::int from device_counts
        where account_no = ${accountNo}::int and frequency_min = 0) as paused,
      (select count(*)::int from device_state where retrying and account_no = ${accountNo}::int) as retrying,
      a.open, a.acknowledged, a.snoozed, a.suppressed,
      (select max(last_us) from agents g cross join lateral (
        select to_us as last_us from coverage where agent_no = g.agent_no order by from_us desc limit 1) c
        where g.account_no = ${accountNo}::int) as reported_us
    from (
      select (count(*) filter (where acknowledged_us is not null))::int as acknowledged,
        (count(*) filter (where acknowledged_us is null and snoozed_until_us > ${nowUs}::bigint))::int as snoozed,
        (count(*) filter (where is_open))::int as open,
        (count(*) filter (where is_open and phase = 'suppressed'))::int as suppressed
      from alerts cross join lateral (
        select acknowledged_us is null and coalesce(snoozed_until_us <= ${nowUs}::bigint, true) as is_open) o
      where account_no = ${accountNo}::int and closed_us is null) a`.execute(kysely);
  const [figures] = rows;
  if (figures === undefined) throw new TypeError('an aggregate has no row');
  return figures;
}
