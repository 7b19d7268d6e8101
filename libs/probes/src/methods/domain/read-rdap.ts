import { parseJson } from '@vantage/kernel';
import { z } from 'zod';
import { type DomainRecord, hostNames, maxTexts, shortText } from './domain-record.ts';

// RDAP (RFC 9083 section 5.3). Unknown and malformed members are passed over.

/** The elements of a list that have the form of a schema. */
function listOf<T>(element: z.ZodType<T>) {
  return z
    .array(z.unknown())
    .catch([])
    .transform((items) =>
      items.slice(0, maxTexts).flatMap((item) => {
        const parsed = element.safeParse(item);
        return parsed.success ? [parsed.data] : [];
      }),
    );
}

const domainObject = z.looseObject({
  objectClassName: z.literal('domain'),
  status: listOf(z.string()),
  events: listOf(z.object({ eventAction: z.string(), eventDate: z.string() })),
  nameservers: listOf(z.object({ ldhName: z.string() })),
  entities: listOf(
    z.object({
      roles: listOf(z.string()),
      vcardArray: z.unknown().optional(),
      handle: z.string().optional().catch(undefined),
    }),
  ),
  secureDNS: z
    .looseObject({ delegationSigned: z.boolean().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/** The registration in a body of an RDAP server; undefined: it is none. */
export function readRdap(body: string): DomainRecord | undefined {
  const parsed = domainObject.safeParse(parseJson(body));
  if (!parsed.success) return undefined;
  const { events, nameservers, entities, status, secureDNS } = parsed.data;
  const timeOf = (action: string) => {
    const event = events.find(({ eventAction }) => eventAction.toLowerCase() === action);
    const ms = event === undefined ? Number.NaN : Date.parse(event.eventDate);
    return Number.isNaN(ms) ? undefined : ms;
  };
  const registrar = entities.find(({ roles }) => roles.includes('registrar'));
  return {
    source: 'RDAP',
    registrar: registrar === undefined ? undefined : (fullName(registrar.vcardArray) ?? registrar.handle),
    registeredMs: timeOf('registration'),
    changedMs: timeOf('last changed'),
    expiresMs: timeOf('expiration'),
    nameServers: hostNames(nameservers.map(({ ldhName }) => ldhName)),
    statuses: status.map(shortText),
    isSigned: secureDNS?.delegationSigned,
  };
}

const property = z.tuple([z.string(), z.unknown(), z.unknown(), z.unknown()]).rest(z.unknown());
const card = z.tuple([z.literal('vcard'), z.array(z.unknown())]);

/** The `fn` of a jCard (RFC 7095). */
function fullName(vcardArray: unknown): string | undefined {
  const parsed = card.safeParse(vcardArray);
  if (!parsed.success) return undefined;
  for (const part of parsed.data[1].slice(0, maxTexts)) {
    const found = property.safeParse(part);
    if (!found.success || found.data[0] !== 'fn') continue;
    const [, , , value] = found.data;
    if (typeof value === 'string' && value.trim() !== '') return shortText(value);
  }
  return undefined;
}

const services = z.looseObject({
  services: z.array(z.tuple([z.array(z.string()), z.array(z.string())])),
});
const maxServices = 5000;

/** The RDAP servers by domain, in lower case (RFC 9224 section 4); undefined: it is no such list. */
export function readBootstrap(body: string): ReadonlyMap<string, string> | undefined {
  const parsed = services.safeParse(parseJson(body));
  if (!parsed.success) return undefined;
  const servers = new Map<string, string>();
  for (const [domains, urls] of parsed.data.services) {
    const url = urls.find((each) => each.startsWith('https://')) ?? urls[0];
    if (url === undefined || !URL.canParse(url)) continue;
    for (const domain of domains)
      if (servers.size < maxServices) servers.set(domain.toLowerCase(), url.endsWith('/') ? url : `${url}/`);
  }
  return servers;
}

/** The server of the longest domain that the name ends with (RFC 9224 section 4). */
export function serverFor(servers: ReadonlyMap<string, string>, name: string): string | undefined {
  const labels = name.split('.');
  for (let from = 1; from < labels.length; from += 1) {
    const server = servers.get(labels.slice(from).join('.'));
    if (server !== undefined) return server;
  }
  return undefined;
}
