import { checkId, type EventType, secondUs } from '@vantage/domain';
import type { AgentFencedCause, AgentRevokedCause, AgentUpgradeCause, EventCause } from '@vantage/health';
import { newId } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Row, Tables } from '../../platform/db/index.ts';
import { eventText } from './event-text.ts';

/** Records the events of these causes at `nowUs`, in the transaction that changed the state. */
export type RecordEvents = (
  trx: Kysely<Tables>,
  causes: readonly EventCause[],
  nowUs: number,
) => Promise<void>;

/**
 * Creates the writer of events. It records events in the order of their causes, in the transaction that changed the
 * state. An event that is recorded already (same device, check and type) stays as it is. `onRecorded` decides in the
 * same transaction what follows from the events that are new.
 */
export function createRecordEvents({ onRecorded }: { readonly onRecorded: RecordEvents }): RecordEvents {
  return async (trx, causes, nowUs) => {
    if (causes.length === 0) return;
    const rows = causes.map((cause) => toEventRow(cause, nowUs));
    const inserted = await insertEvents(trx, rows);
    const fresh = causes.filter((_cause, place) => inserted.has(rows[place]?.event_id ?? ''));
    if (fresh.length > 0) await onRecorded(trx, fresh, nowUs);
  };
}

/** Records events from which nothing follows. */
export const recordEvents = createRecordEvents({ onRecorded: () => Promise.resolve() });

/**
 * One statement for all rows. Resolves with the ids of those that are new. `offset 0` keeps PostgreSQL from reading the
 * whole table for a join; it uses the device's index.
 */
async function insertEvents(trx: Kysely<Tables>, rows: readonly EventRow[]): Promise<Set<string>> {
  const { rows: inserted } = await sql<{ event_id: string }>`
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
      offset 0
    )
    order by g.ord
    returning event_id`.execute(trx);
  return new Set(inserted.map((row) => row.event_id));
}

/** A row of `events` before the database gives it its number. */
type EventRow = Omit<Row<'events'>, 'event_no'>;

type Varying = { readonly type: EventType } & Pick<EventRow, 'status'> &
  Partial<Pick<EventRow, 'at_us' | 'location_no' | 'check_result' | 'check_id' | 'duration_s' | 'late'>>;

/** The row that records a cause at `nowUs`, with a new id. */
function toEventRow(cause: EventCause, nowUs: number): EventRow {
  return {
    event_id: newId(),
    account_no: cause.accountNo,
    device_no: 'deviceNo' in cause ? cause.deviceNo : null,
    at_us: nowUs,
    location_no: 'locationNo' in cause ? cause.locationNo : null,
    check_result: null,
    check_id: null,
    message: eventText(cause),
    duration_s: null,
    late: false,
    recorded_us: nowUs,
    ...varying(cause, nowUs),
  };
}

function varying(cause: EventCause, nowUs: number): Varying {
  switch (cause.kind) {
    case 'check': {
      const { deviceNo, event, endedS, isLate } = cause;
      return {
        type: event.type,
        status: event.status,
        at_us: event.atUs,
        location_no: event.locationNo,
        check_result: event.text,
        check_id: checkId({ deviceNo, ...event.cause }),
        duration_s: endedS,
        late: isLate,
      };
    }
    case 'correction': {
      const { deviceNo, check, status, isLate } = cause;
      const check_id = check === null ? null : checkId({ deviceNo, ...check });
      return { type: status, status, check_id, late: isLate };
    }
    case 'maintenance-start':
      return { type: 'MaintStart', status: 'Maint', at_us: cause.atUs, duration_s: cause.endedS };
    case 'maintenance-end':
      return { type: 'MaintEnd', status: cause.status, at_us: cause.atUs, duration_s: cause.endedS };
    case 'device-created':
      return { type: 'Created', status: 'Unknown' };
    case 'device-changed':
      return { type: 'Changed', status: cause.status };
    case 'device-paused':
      return { type: 'Unknown', status: 'Unknown', duration_s: cause.endedS };
    case 'device-slow':
    case 'device-fast':
    case 'certificate-expiring': {
      const check_id = checkId({ deviceNo: cause.deviceNo, ...cause.check });
      return { type: warningTypes[cause.kind], status: 'Up', at_us: cause.atUs, check_id };
    }
    case 'location-online': {
      const duration_s = Math.trunc((nowUs - cause.offlineSinceUs) / secondUs);
      return { type: 'LocationOnline', status: 'Up', duration_s };
    }
    case 'location-offline':
      return { type: 'LocationOffline', status: 'Unknown', at_us: cause.sinceUs };
    case 'anchor-down':
      return { type: 'AnchorDown', status: 'Unknown', at_us: cause.sinceUs };
    case 'anchor-up': {
      const duration_s = Math.trunc((nowUs - cause.sinceUs) / secondUs);
      return { type: 'AnchorUp', status: 'Up', duration_s };
    }
    case 'agent-fenced':
    case 'agent-revoked':
    case 'agent-upgraded':
      return { type: agentEventType(cause), status: 'Unknown' };
    case 'alert':
      return { type: 'Alert', status: cause.status };
    case 'alert-failed':
      return { type: 'AlertFailed', status: cause.status };
    case 'alert-suppressed':
      return { type: 'AlertSuppressed', status: cause.status };
  }
}

function agentEventType(cause: AgentFencedCause | AgentRevokedCause | AgentUpgradeCause): EventType {
  if (cause.kind === 'agent-upgraded') return cause.fault === null ? 'AgentUpgraded' : 'AgentUpgradeFailed';
  return cause.kind === 'agent-fenced' ? 'AgentFenced' : 'AgentRevoked';
}

const warningTypes = {
  'device-slow': 'Slow',
  'device-fast': 'Fast',
  'certificate-expiring': 'CertificateExpiring',
} as const;
