import { dayUs, minuteUs } from '@vantage/domain';
import type { EventCause, FoldEvent } from '@vantage/health';

/** The text of an event for people (`Message` in REST). Pure. */
export function eventText(cause: EventCause): string {
  switch (cause.kind) {
    case 'check':
      return checkText(cause.event, cause.failingNames);
    case 'correction':
      return `Status corrected to ${cause.status} by late results`;
    case 'maintenance-start': {
      const minutes = Math.round(cause.durationUs / minuteUs);
      const planned = cause.by === 'schedule' ? 'Scheduled maintenance' : 'Maintenance';
      const reason = cause.reason === null ? '' : `: ${cause.reason}`;
      return `${planned}${cause.isExtension ? ' goes on' : ''} for ${minutes} min${reason}`;
    }
    case 'maintenance-end':
      return cause.by === 'user' ? 'Maintenance stopped' : 'Maintenance ended';
    case 'device-created':
      return `${cause.deviceName} was created`;
    case 'device-changed':
      return `${cause.deviceName} was changed: ${cause.fields.join(', ')}`;
    case 'device-paused':
      return `${cause.deviceName} was paused`;
    case 'device-slow':
      return `Slow: several checks in a row took long, the last one ${cause.requestMs} ms`;
    case 'device-fast':
      return `Not slow any more: the last check took ${cause.requestMs} ms`;
    case 'certificate-expiring':
      return `The certificate ${certificateText(cause)}`;
    case 'location-online':
      return `Location ${cause.locationName} is online again`;
    case 'location-offline': {
      const reason = cause.reason === null ? '' : ` (${cause.reason})`;
      const devices = `${cause.devices} ${cause.devices === 1 ? 'device' : 'devices'}`;
      return `Location ${cause.locationName} is offline${reason}, ${devices} not checked`;
    }
    case 'anchor-down':
      return `Anchor ${cause.anchorName} (${cause.target}) of Location ${cause.locationName} does not answer, errors of devices behind it are inconclusive: ${cause.reason}`;
    case 'anchor-up':
      return `Anchor ${cause.anchorName} (${cause.target}) of Location ${cause.locationName} ${anchorEnds[cause.because]}`;
    case 'agent-fenced': {
      const hosts = cause.hostNames.join(' and ');
      return `Agent ${cause.agentName} of Location ${cause.locationName} is fenced, its identity is used twice (hosts: ${hosts})`;
    }
    case 'agent-revoked':
      return `Agent ${cause.agentName} of Location ${cause.locationName} was revoked`;
    case 'agent-upgraded': {
      const agent = `Agent ${cause.agentName} of Location ${cause.locationName}`;
      return cause.fault === null
        ? `${agent} runs version ${cause.version}`
        : `${agent} was not upgraded to version ${cause.version}: ${cause.fault}`;
    }
    case 'alert':
      return `Alert ${cause.alertKind}: ${cause.text}`;
    case 'alert-failed':
      return `Contact ${cause.contactName} was not notified of ${cause.alertKind}: ${cause.reason}`;
    case 'alert-suppressed':
      return `No alert ${cause.alertKind} (${cause.reason}): ${cause.detail}`;
  }
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
