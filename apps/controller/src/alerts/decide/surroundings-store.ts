import { dayUs, minuteUs, verdictSql } from '@vantage/domain';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/**
 * An alert of a device that is failing; checks that end at `fromUs` or later belong to its present failure: it begins
 * at the end of its first error.
 */
export interface FailingDevice {
  readonly alertNo: number;
  readonly deviceNo: number;
  readonly fromUs: number;
}

/** Latest results of a device that are read for its Locations. */
const maxResults = 50;
/** A trace follows the first errors of an outage. */
const tracedUs = 2 * minuteUs;
const maxTraced = 20;
/** Masters of masters up to this distance. */
const maxDepth = 8;
/** Names of devices behind a master. */
const namedBehind = 5;
/** No check takes longer. */
const maxCheckUs = 5 * minuteUs;
/** Results of an agent whose clock is ahead. */
const aheadUs = minuteUs;

const givenOf = (devices: readonly FailingDevice[]) => sql`
  unnest(${devices.map(({ alertNo }) => alertNo)}::bigint[], ${devices.map(({ deviceNo }) => deviceNo)}::int[],
    ${devices.map(({ fromUs }) => fromUs)}::bigint[]) as g (alert_no, device_no, from_us)`;

/** The latest result of each of these devices at each Location that has one of the present failure. */
export async function latestResults(
  trx: Kysely<Tables>,
  devices: readonly FailingDevice[],
  nowUs: number,
): Promise<readonly { readonly alertNo: number; readonly location: string; readonly isGood: boolean }[]> {
  if (devices.length === 0) return [];
  const { rows } = await sql<{ alertNo: number; location: string; isGood: boolean }>`
    select g.alert_no as "alertNo", l.name as location, r."isGood"
    from ${givenOf(devices)} cross join lateral (
      select distinct on (c.location_no) c.location_no, c."isGood" from (
        select location_no, start_us, ${sql.raw(verdictSql('good', 'code'))} as "isGood" from checks
        where device_no = g.device_no and start_us >= g.from_us - ${maxCheckUs}::bigint and start_us > ${nowUs - dayUs}::bigint
          and start_us < ${nowUs + aheadUs}::bigint and end_us >= g.from_us and code not in (9, 10)
        order by start_us desc limit ${maxResults}) c
      order by c.location_no, c.start_us desc) r
      join locations l on l.location_no = r.location_no and l.deleted_at is null
    order by g.alert_no, l.name`.execute(trx);
  return rows;
}

/** The first traceroute of the present failure of each of these devices, as its agent wrote it. */
export async function failureTraces(
  trx: Kysely<Tables>,
  devices: readonly FailingDevice[],
): Promise<readonly { readonly alertNo: number; readonly location: string; readonly traceroute: unknown }[]> {
  if (devices.length === 0) return [];
  const fromUs = Math.min(...devices.map((device) => device.fromUs));
  const { rows } = await sql<{ alertNo: number; location: string; traceroute: unknown }>`
    select g.alert_no as "alertNo", coalesce(l.name, '') as location, t.traceroute
    from ${givenOf(devices)} cross join lateral (
      select c.location_no, c.extended -> 'Traceroute' as traceroute from (
        select location_no, start_us, extended from checks
        where device_no = g.device_no and code <> 1 and start_us >= ${fromUs - maxCheckUs}::bigint
          and start_us >= g.from_us - ${maxCheckUs}::bigint and start_us < g.from_us + ${tracedUs}::bigint and end_us >= g.from_us
        order by start_us limit ${maxTraced}) c
      where c.extended ? 'Traceroute' order by c.start_us limit 1) t
      left join locations l on l.location_no = t.location_no`.execute(trx);
  return rows;
}

/**
 * The devices behind a device: their number, the number of those that fail without a message of their own, and some
 * names.
 */
export interface BehindRow {
  readonly alertNo: number;
  readonly count: number;
  readonly suppressed: number;
  readonly names: readonly string[];
}

/** The devices behind each of these devices, those that fail first. */
export async function devicesBehind(
  trx: Kysely<Tables>,
  devices: readonly FailingDevice[],
): Promise<readonly BehindRow[]> {
  if (devices.length === 0) return [];
  const { rows } = await sql<BehindRow>`
    with recursive below as (
      select g.alert_no, d.device_no, d.short_name, 1 as depth
      from ${givenOf(devices)} join devices d on d.master_no = g.device_no and d.enabled
      union all
      select b.alert_no, d.device_no, d.short_name, b.depth + 1
      from below b join devices d on d.master_no = b.device_no and d.enabled where b.depth < ${maxDepth})
    select b.alert_no as "alertNo", count(*)::int as count, count(a.alert_no)::int as suppressed,
      (array_agg(b.short_name order by a.alert_no is null, b.short_name))[1:${sql.lit(namedBehind)}] as names
    from below b left join alerts a on a.device_no = b.device_no and a.kind = 'device.down' and a.closed_us is null
      and a.phase in ('judging', 'suppressed', 'confirming')
    group by b.alert_no`.execute(trx);
  return rows;
}

/** Open outages of an account that began in one second, by what they have in common. */
export interface FellRow {
  readonly accountNo: number;
  readonly second: number;
  readonly locationNo: number | null;
  readonly location: string | null;
  readonly masterNo: number | null;
  readonly master: string | null;
  readonly count: number;
}

/**
 * The open outages that began up to a minute before or after these moments. A device whose master is Down is left out:
 * it is counted behind its master.
 */
export async function outagesNear(
  trx: Kysely<Tables>,
  moments: readonly { readonly accountNo: number; readonly sinceUs: number }[],
): Promise<readonly FellRow[]> {
  if (moments.length === 0) return [];
  const minutes = new Set(
    moments.flatMap(({ accountNo, sinceUs }) => {
      const minute = Math.floor(sinceUs / minuteUs);
      return [minute - 1, minute, minute + 1].map((number) => `${accountNo} ${number}`);
    }),
  );
  const accountMinutes = [...minutes].map((text) => text.split(' ').map(Number));
  const { rows } = await sql<FellRow>`
    select a.account_no as "accountNo", a.since_us / 1000000 as second, a.location_no as "locationNo", l.name as location,
      d.master_no as "masterNo", m.short_name as master, count(*)::int as count
    from unnest(${accountMinutes.map(([accountNo]) => accountNo)}::int[], ${accountMinutes.map(([, minute]) => minute)}::bigint[]) as g (account_no, minute)
      join alerts a on a.account_no = g.account_no and a.closed_us is null and a.kind = 'device.down'
        and a.since_us >= g.minute * ${minuteUs}::bigint and a.since_us < (g.minute + 1) * ${minuteUs}::bigint
      join devices d on d.device_no = a.device_no
      left join devices m on m.device_no = d.master_no
      left join device_state s on s.device_no = d.master_no
      left join locations l on l.location_no = a.location_no
    where s.status is distinct from 'Down'
    group by 1, 2, 3, 4, 5, 6`.execute(trx);
  return rows;
}

/** The number of messages of an alert that a contact has. */
export interface SentRow {
  readonly alertNo: number;
  readonly contactNo: number;
  readonly count: number;
}

/** The opening messages and repeats about these alerts, by contact. Withdrawn ones were never sent. */
export async function sentBefore(
  trx: Kysely<Tables>,
  alertNos: readonly number[],
): Promise<readonly SentRow[]> {
  if (alertNos.length === 0) return [];
  const { rows } = await sql<SentRow>`
    select n.alert_no as "alertNo", n.contact_no as "contactNo", count(*)::int as count
    from notifications n join alerts a on a.alert_no = n.alert_no
    where n.alert_no = any(${alertNos}::bigint[]) and n.kind in (a.kind, 'device.flapping') and n.state <> 'Withdrawn'
    group by 1, 2`.execute(trx);
  return rows;
}

/** The agent of a Location that was heard last. Times are microseconds. */
export interface HeardRow {
  readonly locationNo: number;
  readonly agent: string;
  readonly lastSeenUs: number | null;
  /** It reported that it stops. */
  readonly isLeaving: boolean;
  /** Its own reason why it could not run its checks. */
  readonly words: string | null;
}

/** The agent that was heard last at each of these Locations. */
export async function lastHeard(
  trx: Kysely<Tables>,
  locationNos: readonly number[],
): Promise<readonly HeardRow[]> {
  if (locationNos.length === 0) return [];
  const { rows } = await sql<HeardRow>`
    select distinct on (location_no) location_no as "locationNo", name as agent, last_seen_us as "lastSeenUs",
      leaving_since_us is not null as "isLeaving", offline_reason as words
    from agents where location_no = any(${locationNos}::int[]) and state <> 'Revoked'
    order by location_no, last_seen_us desc nulls last`.execute(trx);
  return rows;
}
