import { checkId, parseCheckId } from '@vantage/domain';
import {
  type BaseStatus,
  comparePoints,
  type FoldEvent,
  type FoldState,
  type Point,
  type RecordedStatus,
} from '@vantage/health';
import { newId } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { NewRow, Tables } from '../db/index.ts';

/** What an event row needs besides the event itself. */
export interface EventContext {
  readonly deviceNo: number;
  readonly accountNo: number;
  readonly nowUs: number;
  /** What is told this long after its time is late. */
  readonly lateAfterUs: number;
  readonly locationNames: ReadonlyMap<number, string>;
  readonly interruptions: Interruptions;
}

/** What cut a device's states for those who look on, though results went on; microseconds since 1970. */
export interface Interruptions {
  /** Ends of maintenance windows. */
  readonly maintEndsUs: readonly number[];
  /** Since when it is observed again. */
  readonly onlineSinceUs: number;
}

/** Nothing cut it. */
export const noInterruptions: Interruptions = { maintEndsUs: [], onlineSinceUs: 0 };

/** The row of an event that a result caused. One told more than a minute after its time is late. */
export function toEventRow(event: FoldEvent, context: EventContext): NewRow<'events'> {
  return {
    event_id: newId(),
    account_no: context.accountNo,
    device_no: context.deviceNo,
    at_us: event.atUs,
    type: event.type,
    status: event.status,
    location_no: event.locationNo,
    check_result: event.text,
    check_id: checkId({ deviceNo: context.deviceNo, ...event.cause }),
    message: message(event, context.locationNames),
    duration_s: secondsEnded(event, context.interruptions),
    late: context.nowUs > event.atUs + context.lateAfterUs,
    recorded_us: context.nowUs,
  };
}

/** Seconds of the state that just ended, as it was shown: a window's end or a return of sight begins it anew. */
function secondsEnded(
  { ended, sinceUs }: FoldEvent,
  { maintEndsUs, onlineSinceUs }: Interruptions,
): number | null {
  if (ended === null) return null;
  const cuts = ended.status === 'Up' ? [...maintEndsUs, onlineSinceUs] : maintEndsUs;
  const fromUs = Math.max(ended.sinceUs, ...cuts.filter((us) => us <= sinceUs));
  return Math.floor((sinceUs - fromUs) / 1_000_000);
}

function message(event: FoldEvent, names: ReadonlyMap<number, string>): string {
  switch (event.type) {
    case 'Error':
      return `First error, not yet confirmed: ${event.text}`;
    case 'Recovered':
      return `A retry was fine: ${event.text}`;
    case 'Partial':
      return `Fails from ${event.failing.map((no) => names.get(no) ?? String(no)).join(', ')} only`;
    case 'Down':
      return `Down: ${event.text}`;
    case 'Up':
      return `Up: ${event.text}`;
    case 'Unknown':
      return `Nobody can tell: ${event.text}`;
  }
}

/** The row that corrects what was recorded, when results that came later end in another status than the last one recorded. */
export function correction(state: FoldState, status: BaseStatus, context: EventContext): NewRow<'events'> {
  const { deviceNo, accountNo, nowUs, lateAfterUs } = context;
  return {
    event_id: newId(),
    account_no: accountNo,
    device_no: deviceNo,
    at_us: nowUs,
    type: status,
    status,
    location_no: null,
    check_result: null,
    check_id: state.at === null ? null : checkId({ deviceNo, ...state.at }),
    message: `Status corrected to ${status} by late results`,
    duration_s: null,
    late: nowUs > state.sinceUs + lateAfterUs,
    recorded_us: nowUs,
  };
}

/** Writes events in their order; one that was told already (same device, check and type) stays as it was told. */
export async function insertEvents(trx: Kysely<Tables>, rows: readonly NewRow<'events'>[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into events (event_id, account_no, device_no, at_us, type, status, location_no, check_result, check_id,
      message, duration_s, late, recorded_us)
    select g.event_id, g.account_no, g.device_no, g.at_us, g.type, g.status, g.location_no, g.check_result, g.check_id,
      g.message, g.duration_s, g.late, g.recorded_us
    from jsonb_to_recordset(${JSON.stringify(rows.map((row, ord) => ({ ...row, ord })))}::jsonb) as g (ord int,
      event_id text, account_no int, device_no int, at_us bigint, type text, status text, location_no int,
      check_result text, check_id text, message text, duration_s bigint, late boolean, recorded_us bigint)
    where not exists (
      select 1 from events e
      where e.device_no = g.device_no and e.at_us = g.at_us and e.type = g.type and e.check_id = g.check_id
    )
    order by g.ord`.execute(trx);
}

/** Checks overlap: an event may stand this much before one of an earlier check. Microseconds. */
const overlapUs = 3_600_000_000;

/**
 * Which statuses do the events of these devices say from `fromUs` on, and which one before that? In the order of their causes;
 * a correction, and what has no check, follows all that was recorded before it.
 */
export async function recordedStatuses(
  trx: Kysely<Tables>,
  devices: readonly { readonly deviceNo: number; readonly fromUs: number }[],
): Promise<Map<number, RecordedStatus[]>> {
  if (devices.length === 0) return new Map();
  const { rows } = await sql<RecordedRow>`
    select d.device_no as "deviceNo", e.status, e.check_id as "checkId", e.at_us as "atUs",
      e.location_no is null as "isCorrection"
    from unnest(${devices.map((one) => one.deviceNo)}::int[],
      ${devices.map((one) => one.fromUs - overlapUs)}::bigint[]) as d (device_no, from_us)
    cross join lateral (
      (select * from events where device_no = d.device_no and type = any(${statusTypes}::text[])
        and at_us < d.from_us order by at_us desc, event_no desc limit 1)
      union all
      (select * from events where device_no = d.device_no and type = any(${statusTypes}::text[])
        and at_us >= d.from_us)
    ) e
    order by e.event_no`.execute(trx);
  return new Map([...Map.groupBy(rows, (row) => row.deviceNo)].map(([no, list]) => [no, inOrder(list)]));
}

const statusTypes: readonly BaseStatus[] = ['Up', 'Down', 'Unknown'];

interface RecordedRow {
  readonly deviceNo: number;
  readonly status: BaseStatus;
  readonly checkId: string | null;
  readonly atUs: number;
  readonly isCorrection: boolean;
}

/** Rows come as they were recorded. */
function inOrder(rows: readonly RecordedRow[]): RecordedStatus[] {
  let newest: Point = { startUs: 0, agentNo: 0 };
  const placed = rows.map((row): RecordedStatus => {
    const check = row.checkId === null ? undefined : parseCheckId(row.checkId);
    const own = check ?? { startUs: row.atUs, agentNo: 0 };
    if (comparePoints(newest, own) < 0) newest = { startUs: own.startUs, agentNo: own.agentNo };
    return { status: row.status, cause: row.isCorrection ? newest : own };
  });
  return placed.sort((a, b) => comparePoints(a.cause, b.cause));
}

/** What cut the states of these devices since `sinceUs`? */
export async function interruptionsOf(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
  sinceUs: number,
): Promise<Map<number, Interruptions>> {
  if (deviceNos.length === 0) return new Map();
  const { rows } = await sql<Interruptions & { deviceNo: number }>`
    select no as "deviceNo",
      coalesce((select array_agg(w.to_us::float8) from maintenance_windows w
        where w.device_no = no and w.to_us > ${sinceUs}::bigint), '{}') as "maintEndsUs",
      coalesce((select min(l.online_since_us) from device_locations dl join locations l using (location_no)
        where dl.device_no = no and l.online), 0) as "onlineSinceUs"
    from unnest(${deviceNos}::int[]) as no`.execute(trx);
  return new Map(rows.map((row) => [row.deviceNo, row]));
}

/** The names of these Locations. */
export async function locationNames(
  trx: Kysely<Tables>,
  locationNos: readonly number[],
): Promise<Map<number, string>> {
  if (locationNos.length === 0) return new Map();
  const rows = await trx
    .selectFrom('locations')
    .select(['location_no', 'name'])
    .where('location_no', 'in', [...locationNos])
    .execute();
  return new Map(rows.map((row) => [row.location_no, row.name]));
}
