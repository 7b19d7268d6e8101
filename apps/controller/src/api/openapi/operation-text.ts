import type { Route } from '@vantage/rest-kit/route';
import { z } from 'zod';

/** Texts about streams. */
const streamTexts = {
  events:
    'With `stream` the answer is `text/event-stream`: each `data` holds one of the records described here.',
  lines:
    'With `stream` the answer is `application/jsonl`: each line holds one of the records described here, and `Hash`.',
} as const;

export function textOf({ summary, description, level, names, streams, response }: Route): string {
  const rows = response instanceof z.ZodArray ? 'a row for each' : 'one row';
  return [
    description ?? summary,
    ...(streams === undefined ? [] : [streamTexts[streams]]),
    ...(names === undefined
      ? []
      : [
          `With \`fmt=xml\` the answer is \`application/xml\` with the element \`<${names.root}>\`, with \`fmt=csv\` it is \`text/csv\` with ${rows}.`,
        ]),
    levels[level],
  ].join('\n\n');
}

const levels = {
  none: 'Works without a key.',
  UR: 'Any key of the account may do this.',
  UO: 'A key of the level UO, UW or UA may do this.',
  UW: 'A key of the level UW or UA may do this.',
  UA: 'A key of the level UA may do this.',
} as const;

/** Operations that people call by another name than their path gives. */
export const spoken: Readonly<Record<string, string>> = {
  'GET /hello': 'sayHello',
  'GET /openapi.json': 'getOpenApiDocument',
  'POST /devices/change': 'changeDevices',
  'PUT /devices': 'putDevice',
  'GET /devices/{device_id}/uptime': 'getUptime',
  'GET /uptime': 'listUptimes',
  'GET /devices/{device_id}/statistics': 'getStatistics',
  'GET /devices/{device_id}/values': 'getValues',
  'GET /checks/{check_id}/extended': 'getExtendedCheck',
  'POST /checks/trial': 'tryCheck',
  'POST /checks/offer': 'askOffer',
  'POST /devices/{device_id}/check': 'checkDeviceNow',
  'POST /devices/{device_id}/traceroute': 'traceDeviceNow',
  'PUT /devices/{device_id}/start-maintenance': 'startMaintenance',
  'PUT /devices/{device_id}/stop-maintenance': 'stopMaintenance',
  'GET /maintenance': 'listMaintenance',
  'GET /devices/{device_id}/marks': 'listDeviceMarks',
  'DELETE /maintenance/{maintenance_id}': 'endMaintenance',
  'PUT /tags/{tag_id}/devices/{device_id}': 'attachTag',
  'DELETE /tags/{tag_id}/devices/{device_id}': 'detachTag',
  'POST /agents/invitations': 'inviteAgent',
  'DELETE /agents/{agent_id}': 'revokeAgent',
  'POST /session': 'signIn',
  'GET /sign-in': 'getSignInSettings',
  'POST /sign-in/test': 'testSignIn',
  'DELETE /session': 'signOut',
  'PUT /session/password': 'changePassword',
  'POST /users': 'inviteUser',
  'POST /users/{user_id}/invite': 'inviteUserAgain',
  'GET /audit': 'listAudit',
  'GET /mschedules/{mschedule_id}/preview': 'previewMschedule',
  'POST /mschedules/preview': 'previewNewMschedule',
  'POST /nschedules/preview': 'previewNschedule',
  'POST /batch': 'runBatch',
  'PUT /alerts/acknowledge': 'acknowledgeAlerts',
  'PUT /alerts/snooze': 'snoozeAlerts',
  'POST /contacts/{contact_id}/deliveries/{delivery_id}/repeat': 'repeatDelivery',
};
