import { type AlertingCause, changesAlerts, type EventCause, kindOf } from '@vantage/health';
import { newId } from '@vantage/kernel';
import type { Row, Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** A row of `events` before the database gives it its number. */
type NewEventRow = Omit<Row<'events'>, 'event_no'>;

/** Records the events of these causes at `nowUs`, in the transaction that changed the state. */
export type RecordEvents = (
  trx: Kysely<Tables>,
  causes: readonly EventCause[],
  nowUs: number,
) => Promise<void>;

/** Decides what follows from new events that can change alerts, in the transaction that records them. */
export type OnAlertingEvents = (
  trx: Kysely<Tables>,
  causes: readonly AlertingCause[],
  nowUs: number,
) => Promise<void>;

/**
 * Creates the writer of events. It records events in the order of their causes, in the transaction that changed the
 * state. An event that is recorded already (same device, check and type) stays as it is. `onRecorded` decides in the
 * same transaction what follows from the events that are new.
 */
export function createRecordEvents({ onRecorded }: { readonly onRecorded: OnAlertingEvents }): RecordEvents {
  return async (trx, causes, nowUs) => {
    if (causes.length === 0) return;
    const rows = causes.map((cause) => toEventRow(cause, nowUs));
    const inserted = await insertEvents(trx, rows);
    const fresh = causes
      .filter((_cause, place) => inserted.has(rows[place]?.event_id ?? ''))
      .filter(changesAlerts);
    if (fresh.length > 0) await onRecorded(trx, fresh, nowUs);
  };
}

/** Records events from which nothing follows. */
export const recordEvents = createRecordEvents({ onRecorded: () => Promise.resolve() });

/**
 * One statement for all rows. Resolves with the ids of those that are new. `offset 0` keeps PostgreSQL from reading the
 * whole table for a join; it uses the device's index.
 */
async function insertEvents(trx: Kysely<Tables>, rows: readonly NewEventRow[]): Promise<Set<string>> {
  const { rows: inserted } = await sql<{ event_id: string }>`
    insert into events (event_id, account_no, device_no, at_us, type, status, location_no, check_result, check_id,
      message, duration_s, late, recorded_us, gone_no, gone_id, gone_short_name, gone_full_name, gone_tag_nos)
    select g.event_id, g.account_no, g.device_no, g.at_us, g.type, g.status, g.location_no, g.check_result, g.check_id,
      g.message, g.duration_s, g.late, g.recorded_us, g.gone_no, g.gone_id, g.gone_short_name, g.gone_full_name,
      g.gone_tag_nos
    from jsonb_to_recordset(${JSON.stringify(rows.map((row, ord) => ({ ...row, ord })))}::jsonb) as g (ord int,
      event_id text, account_no int, device_no int, at_us bigint, type text, status text, location_no int,
      check_result text, check_id text, message text, duration_s bigint, late boolean, recorded_us bigint,
      gone_no int, gone_id text, gone_short_name text, gone_full_name text, gone_tag_nos int[])
    where not exists (
      select 1 from events e
      where e.device_no = g.device_no and e.at_us = g.at_us and e.type = g.type and e.check_id = g.check_id
      offset 0
    )
    order by g.ord
    returning event_id`.execute(trx);
  return new Set(inserted.map((row) => row.event_id));
}

/** The row that records a cause at `nowUs`, with a new id. */
function toEventRow(cause: EventCause, nowUs: number): NewEventRow {
  const { row, text } = kindOf(cause);
  return {
    event_id: newId(),
    account_no: cause.accountNo,
    device_no: 'deviceNo' in cause ? cause.deviceNo : null,
    at_us: nowUs,
    location_no: 'locationNo' in cause ? cause.locationNo : null,
    check_result: null,
    check_id: null,
    message: text(cause),
    duration_s: null,
    late: false,
    recorded_us: nowUs,
    gone_no: null,
    gone_id: null,
    gone_short_name: null,
    gone_full_name: null,
    gone_tag_nos: null,
    ...row(cause, nowUs),
  };
}
