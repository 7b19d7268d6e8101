import { type BaseStatus, secondUs } from '@vantage/domain';
import type { CauseOf, FoldEvent, FoldState } from '@vantage/health';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { RecordEvents } from '../events/record-events.ts';

/** The database and the writer of its events. */
export interface EventDeps {
  readonly kysely: Kysely<Tables>;
  readonly recordEvents: RecordEvents;
}

/** The facts for the cause of an event, in addition to the fold's result. */
export interface EventContext {
  readonly deviceNo: number;
  readonly accountNo: number;
  readonly nowUs: number;
  /** An event that is recorded this long after its time is late. */
  readonly lateAfterUs: number;
  readonly locationNames: ReadonlyMap<number, string>;
  readonly interruptions: Interruptions;
}

/** Times at which the shown status started again although the results continued; microseconds since 1970. */
export interface Interruptions {
  /** Ends of maintenance windows. */
  readonly maintEndsUs: readonly number[];
  /** Since when a Location of the device is online. */
  readonly onlineSinceUs: number;
}

/** The interruptions of a device that had none. */
export const noInterruptions: Interruptions = { maintEndsUs: [], onlineSinceUs: 0 };

/** The cause of an event that a check's result made. */
export function checkCause(event: FoldEvent, context: EventContext): CauseOf<'check'> {
  const { accountNo, deviceNo, nowUs, lateAfterUs, locationNames: names, interruptions } = context;
  return {
    kind: 'check',
    accountNo,
    deviceNo,
    event,
    failingNames: event.failing.map((no) => names.get(no) ?? String(no)),
    endedS: secondsEnded(event, interruptions),
    isLate: nowUs > event.atUs + lateAfterUs,
  };
}

/** The cause of the event that corrects the recorded status, after late results ended in another one. */
export function correctionCause(
  state: FoldState,
  status: BaseStatus,
  { accountNo, deviceNo, nowUs, lateAfterUs }: EventContext,
): CauseOf<'correction'> {
  const isLate = nowUs > state.sinceUs + lateAfterUs;
  return { kind: 'correction', accountNo, deviceNo, status, check: state.at, isLate };
}

/** Seconds for which users saw the status that ended. */
function secondsEnded(
  { ended, sinceUs }: FoldEvent,
  { maintEndsUs, onlineSinceUs }: Interruptions,
): number | null {
  if (ended === null) return null;
  const cuts = ended.status === 'Up' ? [...maintEndsUs, onlineSinceUs] : maintEndsUs;
  const fromUs = Math.max(ended.sinceUs, ...cuts.filter((us) => us <= sinceUs));
  return Math.floor((sinceUs - fromUs) / secondUs);
}

/** The interruptions of these devices since `sinceUs`. */
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
