import { alertKinds } from '@vantage/alerts';
import { eventTypes } from '@vantage/health';
import { refTo } from './openapi-schema.ts';

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  example,
  schema: { type: 'string' },
});

/** The headers of Standard Webhooks 1.0. */
const headers = [
  header(
    'webhook-id',
    'The same for each attempt: keep one message of each.',
    '27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802',
  ),
  header('webhook-timestamp', 'When this attempt began, seconds since 1970.', '1772059083'),
  header(
    'webhook-signature',
    'v1, and the HMAC-SHA256 of id, time and body by the Secret, in base64; two while a secret is rotated.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

const responses = {
  '2XX': { description: 'The message is accepted.' },
  '410': { description: 'No message is wanted here any more: this one is given up.' },
  default: {
    description: 'The message comes again: after 5 s, 30 s, 2 min, 10 min, 30 min, then hourly for 72 hours.',
  },
};

const timestamp = {
  type: 'string',
  description: "ISO 8601, in the account's time zone.",
  format: 'date-time',
};
const at = '2026-02-25T23:38:03+01:00';
const id = '27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802';

/** The messages that Vantage posts: events to hooks, and notifications to contacts of the Type webhook. */
export const webhooks = {
  event: {
    post: {
      operationId: 'receiveEvent',
      tags: ['Hooks'],
      security: [],
      parameters: headers,
      responses,
      summary: 'An event, posted to a hook.',
      description: 'Each event that the hook selects, in order, at least once.',
      requestBody: body(
        eventTypes.map((type) => `event.${type}`),
        refTo('Event'),
        {
          event_id: id,
          device_id: id,
          ShortName: 'web-1',
          FullName: 'Web shop',
          Timestamp: at,
          Type: 'Down',
          Status: 'Down',
          Location: 'local',
          location_id: id,
          CheckResult: 'HTTP 500',
          check_id: id,
          Message: 'Down: HTTP 500',
          Duration: 3_600,
          Late: false,
        },
        'event.Down',
      ),
    },
  },
  notification: {
    post: {
      operationId: 'receiveNotification',
      tags: ['Contacts'],
      security: [],
      parameters: headers,
      responses,
      summary: 'A message to a contact of the Type webhook.',
      description: '`/docs/messages` shows each kind with its data. More fields may come in a later version.',
      requestBody: body(
        [...alertKinds, 'acknowledged', 'closed', 'test'],
        { type: 'object', description: 'The facts of the message.', additionalProperties: true },
        { Device: 'Web shop', ShortName: 'web-1', CheckResult: 'HTTP 500', Severity: 'critical' },
        'device.down',
      ),
    },
  },
};

function body(types: readonly string[], data: object, example: object, type: string) {
  const properties = {
    type: { type: 'string', enum: types, description: 'What happened.' },
    timestamp,
    data,
  };
  const schema = { type: 'object', required: ['type', 'timestamp', 'data'], properties };
  return {
    required: true,
    description: 'The message.',
    content: { 'application/json': { schema, example: { type, timestamp: at, data: example } } },
  };
}
