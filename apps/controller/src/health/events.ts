import type { FoldEvent, FoldState } from '@vantage/health';
import { newId } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { checkId } from '../check-id.ts';
import type { NewRow, Tables } from '../db/index.ts';

/** What an event row needs besides the event itself. */
export interface Telling {
  readonly deviceNo: number;
  readonly accountNo: number;
  readonly nowUs: number;
  /** What is told this long after its time is late. */
  readonly lateAfterUs: number;
  readonly locationNames: ReadonlyMap<number, string>;
  readonly breaks: Breaks;
}

/** What cut a device's states for those who look on, though results went on; microseconds since 1970. */
export interface Breaks {
  /** Ends of maintenance windows. */
  readonly maintEndsUs: readonly number[];
  /** Since when it is observed again. */
  readonly observedSinceUs: number;
}

/** Nothing cut it. */
export const noBreaks: Breaks = { maintEndsUs: [], observedSinceUs: 0 };

/** The row of an event that a result caused. One told more than a minute after its time is late. */
export function toEventRow(event: FoldEvent, telling: Telling): NewRow<'events'> {
  return {
    event_id: newId(),
    account_no: telling.accountNo,
    device_no: telling.deviceNo,
    at_us: event.atUs,
    type: event.type,
    status: event.status,
    location_no: event.locationNo,
    check_result: event.text,
    check_id: checkId({ deviceNo: telling.deviceNo, ...event.cause }),
    message: message(event, telling.locationNames),
    duration_s: secondsEnded(event, telling.breaks),
    late: telling.nowUs > event.atUs + telling.lateAfterUs,
    told_us: telling.nowUs,
  };
}

/** Seconds of the state that just ended, as it was shown: a window's end or a return of sight begins it anew. */
function secondsEnded(
  { ended, sinceUs }: FoldEvent,
  { maintEndsUs, observedSinceUs }: Breaks,
): number | null {
  if (ended === null) return null;
  const cuts = ended.status === 'Up' ? [...maintEndsUs, observedSinceUs] : maintEndsUs;
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

/** The row that sets right what was told, when results that came later end in another status than the last one told. */
export function correction(state: FoldState, telling: Telling): NewRow<'events'> {
  const { deviceNo, accountNo, nowUs, lateAfterUs } = telling;
  return {
    event_id: newId(),
    account_no: accountNo,
    device_no: deviceNo,
    at_us: nowUs,
    type: state.status,
    status: state.status,
    location_no: null,
    check_result: null,
    check_id: state.at === null ? null : checkId({ deviceNo, ...state.at }),
    message: `${state.status}: results that came later tell another story`,
    duration_s: null,
    late: nowUs > state.sinceUs + lateAfterUs,
    told_us: nowUs,
  };
}

/** Writes events in their order; one that was told already (same device, check and type) stays as it was told. */
export async function insertEvents(trx: Kysely<Tables>, rows: readonly NewRow<'events'>[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into events (event_id, account_no, device_no, at_us, type, status, location_no, check_result, check_id,
      message, duration_s, late, told_us)
    select g.event_id, g.account_no, g.device_no, g.at_us, g.type, g.status, g.location_no, g.check_result, g.check_id,
      g.message, g.duration_s, g.late, g.told_us
    from jsonb_to_recordset(${JSON.stringify(rows.map((row, ord) => ({ ...row, ord })))}::jsonb) as g (ord int,
      event_id text, account_no int, device_no int, at_us bigint, type text, status text, location_no int,
      check_result text, check_id text, message text, duration_s bigint, late boolean, told_us bigint)
    where not exists (
      select 1 from events e
      where e.device_no = g.device_no and e.at_us = g.at_us and e.type = g.type and e.check_id = g.check_id
    )
    order by g.ord`.execute(trx);
}

/** The last status told of these devices by results (not by a Location's going blind or coming back). */
export async function lastTold(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<Map<number, string>> {
  const { rows } = await sql<{ device_no: number; status: string }>`
    select d.device_no, e.status from unnest(${deviceNos}::int[]) as d (device_no)
    cross join lateral (
      select status from events
      where device_no = d.device_no and check_id is not null and type in ('Up', 'Down', 'Unknown')
      order by at_us desc, event_no desc limit 1
    ) e`.execute(trx);
  return new Map(rows.map((row) => [row.device_no, row.status]));
}

/** What cut the states of these devices since `sinceUs`? */
export async function breaksOf(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
  sinceUs: number,
): Promise<Map<number, Breaks>> {
  if (deviceNos.length === 0) return new Map();
  const { rows } = await sql<Breaks & { deviceNo: number }>`
    select no as "deviceNo",
      coalesce((select array_agg(w.to_us::float8) from maintenance_windows w
        where w.device_no = no and w.to_us > ${sinceUs}::bigint), '{}') as "maintEndsUs",
      coalesce((select min(l.observing_since_us) from device_locations dl join locations l using (location_no)
        where dl.device_no = no and l.observing), 0) as "observedSinceUs"
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
