import { checkId, dayUs, type EventType, minuteUs, secondUs } from '@vantage/domain';
import type { EventCause, FoldEvent } from '@vantage/health';
import type { Row } from '../../platform/db/index.ts';

/** A row of `events` before the database gives it its number. */
export type EventRow = Omit<Row<'events'>, 'event_no'>;

/** The columns that depend on the kind. Those that are left out have their defaults: now, and null. */
type OwnColumns = { readonly type: EventType } & Pick<EventRow, 'status'> &
  Partial<Pick<EventRow, 'at_us' | 'location_no' | 'check_result' | 'check_id' | 'duration_s' | 'late'>>;

interface EventKind<Cause> {
  readonly row: (cause: Cause, nowUs: number) => OwnColumns;
  /** The event for people (`Message` in REST). */
  readonly text: (cause: Cause) => string;
}

/** One row for each kind of cause: how its event is stored and what it says. */
const eventKinds: { readonly [K in EventCause['kind']]: EventKind<EventCause & { readonly kind: K }> } = {
  check: {
    row: ({ deviceNo, event, endedS, isLate }) => ({
      type: event.type,
      status: event.status,
      at_us: event.atUs,
      location_no: event.locationNo,
      check_result: event.text,
      check_id: checkId({ deviceNo, ...event.cause }),
      duration_s: endedS,
      late: isLate,
    }),
    text: ({ event, failingNames }) => checkText(event, failingNames),
  },
  correction: {
    row: ({ deviceNo, check, status, isLate }) => ({
      type: status,
      status,
      check_id: check === null ? null : checkId({ deviceNo, ...check }),
      late: isLate,
    }),
    text: ({ status }) => `Status corrected to ${status} by late results`,
  },
  'maintenance-start': {
    row: ({ atUs, endedS }) => ({ type: 'MaintStart', status: 'Maint', at_us: atUs, duration_s: endedS }),
    text: ({ by, isExtension, durationUs, reason }) => {
      const planned = by === 'schedule' ? 'Scheduled maintenance' : 'Maintenance';
      const minutes = Math.round(durationUs / minuteUs);
      return `${planned}${isExtension ? ' goes on' : ''} for ${minutes} min${reason === null ? '' : `: ${reason}`}`;
    },
  },
  'maintenance-end': {
    row: ({ status, atUs, endedS }) => ({ type: 'MaintEnd', status, at_us: atUs, duration_s: endedS }),
    text: ({ by }) => (by === 'user' ? 'Maintenance stopped' : 'Maintenance ended'),
  },
  'device-created': {
    row: () => ({ type: 'Created', status: 'Unknown' }),
    text: ({ deviceName }) => `${deviceName} was created`,
  },
  'device-changed': {
    row: ({ status }) => ({ type: 'Changed', status }),
    text: ({ deviceName, fields }) => `${deviceName} was changed: ${fields.join(', ')}`,
  },
  'device-paused': {
    row: ({ endedS }) => ({ type: 'Unknown', status: 'Unknown', duration_s: endedS }),
    text: ({ deviceName }) => `${deviceName} was paused`,
  },
  'device-slow': {
    row: (cause) => ({ type: 'Slow', ...warningRow(cause) }),
    text: ({ requestMs }) => `Slow: several checks in a row took long, the last one ${requestMs} ms`,
  },
  'device-fast': {
    row: (cause) => ({ type: 'Fast', ...warningRow(cause) }),
    text: ({ requestMs }) => `Not slow any more: the last check took ${requestMs} ms`,
  },
  'certificate-expiring': {
    row: (cause) => ({ type: 'CertificateExpiring', ...warningRow(cause) }),
    text: (cause) => `The certificate ${certificateText(cause)}`,
  },
  'location-online': {
    row: ({ offlineSinceUs }, nowUs) => ({
      type: 'LocationOnline',
      status: 'Up',
      duration_s: secondsSince(offlineSinceUs, nowUs),
    }),
    text: ({ locationName }) => `Location ${locationName} is online again`,
  },
  'location-offline': {
    row: ({ sinceUs }) => ({ type: 'LocationOffline', status: 'Unknown', at_us: sinceUs }),
    text: ({ locationName, reason, devices }) => {
      const why = reason === null ? '' : ` (${reason})`;
      const count = `${devices} ${devices === 1 ? 'device' : 'devices'}`;
      return `Location ${locationName} is offline${why}, ${count} not checked`;
    },
  },
  'anchor-down': {
    row: ({ sinceUs }) => ({ type: 'AnchorDown', status: 'Unknown', at_us: sinceUs }),
    text: ({ anchorName, target, locationName, reason }) =>
      `Anchor ${anchorName} (${target}) of Location ${locationName} does not answer, errors of devices behind it are inconclusive: ${reason}`,
  },
  'anchor-up': {
    row: ({ sinceUs }, nowUs) => ({
      type: 'AnchorUp',
      status: 'Up',
      duration_s: secondsSince(sinceUs, nowUs),
    }),
    text: ({ anchorName, target, locationName, because }) =>
      `Anchor ${anchorName} (${target}) of Location ${locationName} ${anchorEnds[because]}`,
  },
  'agent-fenced': {
    row: () => ({ type: 'AgentFenced', status: 'Unknown' }),
    text: ({ agentName, locationName, hostNames }) =>
      `Agent ${agentName} of Location ${locationName} is fenced, its identity is used twice (hosts: ${hostNames.join(' and ')})`,
  },
  'agent-revoked': {
    row: () => ({ type: 'AgentRevoked', status: 'Unknown' }),
    text: ({ agentName, locationName }) => `Agent ${agentName} of Location ${locationName} was revoked`,
  },
  'agent-upgraded': {
    row: ({ fault }) => ({
      type: fault === null ? 'AgentUpgraded' : 'AgentUpgradeFailed',
      status: 'Unknown',
    }),
    text: ({ agentName, locationName, version, fault }) => {
      const agent = `Agent ${agentName} of Location ${locationName}`;
      return fault === null
        ? `${agent} runs version ${version}`
        : `${agent} was not upgraded to version ${version}: ${fault}`;
    },
  },
  alert: {
    row: ({ status }) => ({ type: 'Alert', status }),
    text: ({ alertKind, text }) => `Alert ${alertKind}: ${text}`,
  },
  'alert-failed': {
    row: ({ status }) => ({ type: 'AlertFailed', status }),
    text: ({ contactName, alertKind, reason }) =>
      `Contact ${contactName} was not notified of ${alertKind}: ${reason}`,
  },
  'alert-suppressed': {
    row: ({ status }) => ({ type: 'AlertSuppressed', status }),
    text: ({ alertKind, reason, detail }) => `No alert ${alertKind} (${reason}): ${detail}`,
  },
};

/** The row of the table for a cause. The table has each kind with its own causes, which a look-up cannot say. */
export function kindOf(cause: EventCause): EventKind<EventCause> {
  return eventKinds[cause.kind] as EventKind<EventCause>;
}

function warningRow(
  cause: EventCause & { readonly kind: 'device-slow' | 'device-fast' | 'certificate-expiring' },
) {
  const { deviceNo, check, atUs } = cause;
  return { status: 'Up' as const, at_us: atUs, check_id: checkId({ deviceNo, ...check }) };
}

function secondsSince(sinceUs: number, nowUs: number): number {
  return Math.trunc((nowUs - sinceUs) / secondUs);
}

const anchorEnds = {
  answers: 'answers again',
  removed: 'is not set any more',
  unchecked: 'cannot be checked any more',
} as const;

/** When a certificate ends, for people: `expires in 13 days, at 2026-12-05T10:00:00Z`. */
function certificateText({
  atUs,
  notAfterUs,
}: {
  readonly atUs: number;
  readonly notAfterUs: number;
}): string {
  const days = Math.floor(Math.abs(notAfterUs - atUs) / dayUs);
  const count = `${days} ${days === 1 ? 'day' : 'days'}`;
  const end = `at ${new Date(notAfterUs / 1000).toISOString().replace('.000', '')}`;
  return notAfterUs > atUs ? `expires in ${count}, ${end}` : `expired ${count} ago, ${end}`;
}

function checkText({ type, text, endsPartial }: FoldEvent, failingNames: readonly string[]): string {
  switch (type) {
    case 'Error':
      return `First error, not yet confirmed: ${text}`;
    case 'Recovered':
      return endsPartial ? `Recovered at all Locations: ${text}` : `The retry succeeded: ${text}`;
    case 'Partial':
      return `Fails from ${failingNames.join(', ')} only`;
    case 'Down':
      return `Down: ${text}`;
    case 'Up':
      return `Up: ${text}`;
    case 'Unknown':
      return `Status unknown: ${text}`;
  }
}
