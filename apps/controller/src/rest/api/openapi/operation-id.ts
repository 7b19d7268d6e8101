import type { Route } from '../../http/route.ts';

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
};

const verbs = { GET: 'get', POST: 'create', PUT: 'update', DELETE: 'delete' } as const;

/**
 * The name of a route in generated clients, as people say it: `createDevice`, `listDevices`, `getDevice`,
 * `listDeviceChecks`, `startTagMaintenance`. A plural at the end of a GET is a list; `verb-noun` at the end is that
 * verb.
 */
export function operationId({ method, path }: Route): string {
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
