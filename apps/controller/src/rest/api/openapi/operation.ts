import { refusalReasons } from '@vantage/kernel';
import { z } from 'zod';
import type {
  ZodOpenApiOperationObject,
  ZodOpenApiResponseObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { operationResult } from '../../http/batch.ts';
import { showsList } from '../../http/entity-tag.ts';
import { formats } from '../../http/form.ts';
import { internal, invalid, type Problem, tooMuch } from '../../http/problem.ts';
import type { Route } from '../../http/route.ts';
import { unavailable } from '../../http/storage-guard.ts';
import {
  answerHeaders,
  everyAnswer,
  type FindResource,
  notModified,
  refusal,
  requestHeaders,
  tooEarly,
} from './headers.ts';

const formQuery = z.object({
  fmt: z
    .enum(formats)
    .default('json')
    .describe('Form of a good answer; failures are JSON always.')
    .meta({ example: 'json' }),
  filename: z.string().optional().describe('Offers the answer as a file of this name.'),
});

/** The credentials of a request. A key with a user name and a password needs both. */
export const withKey = [
  { apiKeyHeader: [] },
  { apiKeyQuery: [] },
  { apiKeyHeader: [], basic: [] },
  { apiKeyQuery: [], basic: [] },
];

/** A route as an operation of the OpenAPI document. */
export function operationOf(route: Route, findResource: FindResource): ZodOpenApiOperationObject {
  const placeholders = [...route.path.matchAll(/\{(\w+)\}/g)].map(
    ([, name = '']) => [name, z.string().describe(`The ${name}: 48 lowercase hexadecimal digits.`)] as const,
  );
  const query = route.names === undefined ? route.query : formQuery.extend(route.query?.shape ?? {});
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary.replace(/\.$/, ''),
    description: textOf(route),
    ...(route.level === 'none' ? { security: [{}, ...withKey] } : {}),
    'x-authorization-level': route.level,
    requestParams: {
      ...(placeholders.length === 0 ? {} : { path: z.object(Object.fromEntries(placeholders)) }),
      ...(query === undefined ? {} : { query }),
      header: requestHeaders(route, findResource),
    },
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: needsBody(route),
            description: 'JSON, with the header `Content-Type: application/json`.',
            content: { 'application/json': { schema: route.body } },
          },
        }),
    responses: answersOf(route, findResource),
  };
}

/** Creating and changing need a body. A verb such as start-maintenance needs one where a field of it must be sent. */
function needsBody({ path, body }: Route): boolean {
  const last = path.split('/').at(-1) ?? '';
  const isVerb = path.split('/').length > 3 && !last.startsWith('{');
  return !isVerb || body?.safeParse({}).success === false;
}

/** Of an answer that goes on. */
const streamTexts = {
  events:
    'With `stream` the answer is `text/event-stream`: each `data` holds one of the records described here.',
  lines:
    'With `stream` the answer is `application/jsonl`: each line holds one of the records described here, and `Hash`.',
} as const;

function textOf({ summary, description, level, names, streams, response }: Route): string {
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
const spoken: Readonly<Record<string, string>> = {
  'GET /hello': 'sayHello',
  'GET /openapi.json': 'getOpenApiDocument',
  'POST /devices/change': 'changeDevices',
  'PUT /devices': 'putDevice',
  'GET /devices/{device_id}/uptime': 'getUptime',
  'GET /uptime': 'listUptimes',
  'GET /devices/{device_id}/statistics': 'getStatistics',
  'GET /checks/{check_id}/extended': 'getExtendedCheck',
  'POST /checks/trial': 'tryCheck',
  'POST /devices/{device_id}/check': 'checkDeviceNow',
  'POST /devices/{device_id}/traceroute': 'traceDeviceNow',
  'PUT /devices/{device_id}/start-maintenance': 'startMaintenance',
  'PUT /devices/{device_id}/stop-maintenance': 'stopMaintenance',
  'GET /maintenance': 'listMaintenance',
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

const verbs = { GET: 'get', POST: 'create', PUT: 'update', DELETE: 'delete' } as const;

/**
 * The name of a route in generated clients, as people say it: `createDevice`, `listDevices`, `getDevice`,
 * `listDeviceChecks`, `startTagMaintenance`. A plural at the end of a GET is a list; `verb-noun` at the end is that
 * verb.
 */
function operationId({ method, path }: Route): string {
  const known = spoken[`${method} ${path}`];
  if (known !== undefined) return known;
  const parts = path.split('/').filter((part) => part !== '');
  const owners = parts.filter((_, at) => parts[at + 1]?.startsWith('{') === true).map(singular);
  const last = parts.at(-1) ?? '';
  if (last.startsWith('{')) return verbs[method] + owners.join('');
  if (method === 'GET') return (last.endsWith('s') ? 'list' : 'get') + owners.join('') + capital(last);
  if (owners.length === 0) return verbs[method] + singular(last);
  const [verb = last, ...rest] = last.split('-');
  return verb + owners.join('') + rest.map(capital).join('');
}

function singular(word: string): string {
  return capital(word.replace(/s$/, ''));
}

/** `suggested-master` as `SuggestedMaster`. */
function capital(words: string): string {
  return words
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

const problemRecord = z
  .strictObject({
    code: z
      .int()
      .describe(
        '1000 malformed request, 1001 missing or unknown key or wrong credentials, 1002 access denied, 1003 not found, 1004 invalid value, 1005 conflict with the present state, 1006 too many requests, 1007 HTTPS required, 1500 internal, 1503 unavailable.',
      ),
    reason: z.enum(refusalReasons),
    message: z.string(),
    errors: z
      .array(z.strictObject({ field: z.string(), message: z.string(), reason: z.enum(refusalReasons) }))
      .optional(),
    Results: z
      .array(operationResult)
      .optional()
      .describe('Of an atomic batch in which an operation failed: its results up to that one.'),
    Accounts: z
      .array(z.string())
      .optional()
      .describe('Of a sign-in that has to name its account: the accounts of the person.')
      .meta({ example: ['default', 'branch'] }),
  })
  .meta({ id: 'Problem' });

const failure = (
  id: string,
  description: string,
  problem: Problem,
  headers?: Record<string, z.ZodType>,
): ZodOpenApiResponseObject => ({
  id,
  description,
  headers: z.object({ ...everyAnswer, ...headers }),
  content: { 'application/json': { schema: problemRecord, example: problem.toJSON() } },
});

const failures = {
  '400': failure(
    'Refused',
    'The request failed by the caller’s fault. `code`, `reason` and `message` say why.',
    invalid([{ field: 'Limit', message: 'must be digits only' }]),
    refusal,
  ),
  '429': failure(
    'TooManyRequests',
    'Too many bad keys from this address, or too many requests of this key at once.',
    tooMuch('Too many requests of this key are waiting.'),
    tooEarly,
  ),
  '500': failure('InternalError', 'A fault of the service.', internal()),
  '503': failure('Unavailable', 'The service is unavailable at the moment.', unavailable()),
} as const;

const unchanged: ZodOpenApiResponseObject = {
  id: 'NotModified',
  description:
    'The client has the resource or list as it is: `If-None-Match` names its ETag. There is no body.',
  headers: z.object(notModified),
};

/**
 * The answers of a route: JSON only, so that a generated type is the resource itself. The text of the operation
 * describes XML and CSV.
 */
function answersOf(route: Route, findResource: FindResource): ZodOpenApiResponsesObject {
  const isRead = (route.method === 'GET' && findResource(route) !== undefined) || showsList(route);
  return {
    '200': {
      description: 'The request was processed.',
      headers: answerHeaders(route, findResource),
      content: { [route.mediaType ?? 'application/json']: { schema: route.response } },
    },
    ...(isRead ? { '304': unchanged } : {}),
    ...failures,
  };
}
