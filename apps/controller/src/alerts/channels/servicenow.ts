import { z } from 'zod';
import type { Channel, Notice } from './channel.ts';
import { createHttpChannel, type HttpChannelSettings, jsonHeaders } from './http-channel.ts';
import { descriptionOf, incidentOf } from './incident.ts';

const stored = z.object({ record: z.record(z.string(), z.json()) });

/** ServiceNow's severities of events: 1 critical, 4 warning, 5 info; 0 clears the alert of the same message key. */
const severities = { critical: '1', warning: '4', info: '5' } as const;
const clear = '0';

/**
 * ServiceNow Event Management (docs.servicenow.com, "Send events via web service": `POST /api/global/em/jsonv2`). The
 * address is the instance's base with a login; the alert_id is the message key, so that the last message closes the
 * alert that the first one opened. 200 and 201 are the acceptance; 400, 401, 403 and 404 are final.
 */
export function createServiceNow(settings: HttpChannelSettings): Channel {
  return createHttpChannel(settings, {
    compose: ([notice]) => (notice === undefined ? {} : { record: recordOf(notice) }),
    requestOf: ({ id, message, to }) => {
      const { record } = stored.parse(message);
      const url = new URL(to.address);
      url.pathname = `${url.pathname.replace(/\/+$/, '')}/api/global/em/jsonv2`;
      const body = JSON.stringify({ records: [{ ...record, message_key: record['message_key'] ?? id }] });
      return { url, headers: jsonHeaders(to.secret), body };
    },
    gone: [400, 401, 403, 404],
  });
}

function recordOf(notice: Notice) {
  const { stage, key, severity, source: node } = incidentOf(notice);
  const isClear = stage === 'ends' || stage === 'acknowledged';
  return {
    source: 'Vantage',
    node,
    type: notice.kind,
    message_key: key,
    severity: stage === 'ends' ? clear : severities[severity],
    ...(isClear ? { resolution_state: stage === 'ends' ? 'Closing' : 'New' } : {}),
    description: descriptionOf(notice),
    time_of_event: new Date(notice.timestamp).toISOString().slice(0, 19).replace('T', ' '),
  };
}
