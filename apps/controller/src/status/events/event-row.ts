import { checkId, type EventType, secondUs } from '@vantage/domain';
import type { AgentFencedCause, AgentRevokedCause, AgentUpgradeCause, EventCause } from '@vantage/health';
import { newId } from '@vantage/kernel';
import type { Row } from '../../platform/db/index.ts';
import { eventText } from './event-text.ts';

/** A row of `events` before the database gives it its number. */
export type EventRow = Omit<Row<'events'>, 'event_no'>;

type Varying = { readonly type: EventType } & Pick<EventRow, 'status'> &
  Partial<Pick<EventRow, 'at_us' | 'location_no' | 'check_result' | 'check_id' | 'duration_s' | 'late'>>;

/** The row that records a cause at `nowUs`, with a new id. */
export function toEventRow(cause: EventCause, nowUs: number): EventRow {
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
