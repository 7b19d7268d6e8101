import type { Api } from '../harness/api.ts';
import { contactIdOf, secret } from './contacts.ts';
import type { Receivers } from './receivers.ts';

/** The parts of a contact of a service: the rest of its address, and its other fields. */
interface Service {
  readonly path: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

const apiKey = { Secret: '5e1f0c6a-0000-4000-8000-000000000000' };
const token = { Secret: 'AbCdEf0123456789' };

/** The addresses as docs/contacts.md shows them, after scheme and host. */
const services = {
  webhook: { path: 'hook', fields: { Secret: secret } },
  slack: { path: 'services/T0000/B0000/XXXX' },
  teams: { path: 'workflows/0000/triggers/manual/paths/invoke?sig=XXXX' },
  pagerduty: { path: 'v2/enqueue', fields: { Secret: '0123456789abcdef0123456789abcdef' } },
  jsm: { path: 'jsm/ops/integration/v2/alerts', fields: apiKey },
  opsgenie: { path: 'v2/alerts', fields: apiKey },
  alertmanager: { path: '' },
  ntfy: { path: 'a-topic' },
  sms: { path: 'send', fields: { Options: { To: '+4712345678' } } },
  template: {
    path: 'hook',
    fields: { Options: { Body: '{"k":"{{Kind}}","u":"{{URL}}","t":"{{Text}}","c":"{{CheckResult}}"}' } },
  },
  discord: { path: 'api/webhooks/0000/XXXX' },
  gotify: { path: '', fields: token },
  matrix: { path: '!room:example.org', fields: token },
  mattermost: { path: 'hooks/XXXX' },
  pushover: { path: '1/messages.json?user_key=USER', fields: token },
  rocketchat: { path: 'hooks/0000/XXXX' },
  servicenow: { path: '' },
  signal: { path: '?number=%2B4712345678&to=%2B4787654321' },
  zulip: { path: '?to=ops&topic=alerts' },
} as const satisfies Record<string, Service>;

/** A type of contact that the lab has a receiver for. */
export type ServiceType = keyof typeof services;

/** All of them. */
export const serviceTypes: readonly ServiceType[] = Object.keys(services).filter(isServiceType);

function isServiceType(name: string): name is ServiceType {
  return name in services;
}

/** The services that need a login in their address. */
const withLogin: ReadonlySet<ServiceType> = new Set(['servicenow', 'zulip']);

/** Creates a contact whose service is one of the lab's receivers. Resolves with its contact_id. */
export async function createServiceContact(
  api: Api,
  receivers: Receivers,
  { name, type, ...more }: { readonly name: string; readonly type: ServiceType; readonly Notify?: string[] },
): Promise<string> {
  const service: Service = services[type];
  const base = receivers.url(name);
  const login = withLogin.has(type) ? base.replace('://', '://bot:XXXX@') : base;
  const body = { Name: name, Type: type, Address: `${login}${service.path}` };
  return contactIdOf(await api.ok('POST', '/contacts', Object.assign(body, service.fields, more)));
}

/** Creates an e-mail contact; its address is its name at the lab. Resolves with its contact_id. */
export async function createMailContact(api: Api, name: string): Promise<string> {
  const body = { Name: name, Type: 'email', Address: `${name}@lab.example` };
  return contactIdOf(await api.ok('POST', '/contacts', body));
}
