import { isIP } from 'node:net';
import { resultCode } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import { quoteShort } from '../../contract/display.ts';
import { notMet } from '../../contract/failure.ts';
import { ipFamilyOption, slowMsOption } from '../../contract/options.ts';
import type { Probe, ProbeContext, ProbeOutcome, TargetResult } from '../../contract/probe.ts';
import { parseHost } from '../../contract/target.ts';
import { createRegistries, isoOf, type RegistrySources } from './ask-registry.ts';
import type { DomainRecord, RegistryAnswer } from './domain-record.ts';
import { daysLeft, domainFaults, showDays } from './judge-domain.ts';
import type { Cached } from './polite-cache.ts';

const hostName = boundedText(253, 1).refine(
  (text) => typeof parseHost(text) !== 'string',
  'must be a host name such as ns1.example.org',
);

const options = z.strictObject({
  MinDaysLeft: z
    .int()
    .min(0)
    .max(3650)
    .default(0)
    .describe('The registration must last for at least this many days.'),
  ExpectRegistrar: boundedText(200, 1)
    .optional()
    .describe("Text that the registrar's name must contain, in any letter case."),
  ExpectNameServers: z
    .array(hostName)
    .max(20)
    .default([])
    .describe('The name servers that the registry must have, in any order: exactly these.'),
  ExpectStatus: z
    .array(boundedText(100, 1))
    .max(20)
    .default([])
    .describe(
      'Statuses that the domain must have, such as client transfer prohibited. A hold, the redemption period and a pending delete fail unless they are expected.',
    ),
  RDAPServer: boundedText(500)
    .refine(
      (url) => /^https?:\/\/[^/@?#]+(\/[^?#@]*)?$/i.test(url) && URL.canParse(url),
      'must be the base URL of an RDAP server such as https://rdap.example.org/',
    )
    .optional()
    .describe("Base URL of the registry's RDAP server; default: by IANA's list, else its WHOIS server."),
  SlowMs: slowMsOption,
  IPFamily: ipFamilyOption,
});

type DomainOptions = z.output<typeof options>;

/** Domain: the registration of a name by RDAP (RFC 9083), or by WHOIS where a registry has no RDAP. */
export const domain = createDomain({
  bootstrapUrl: 'https://data.iana.org/rdap/dns.json',
  whoisRoot: { host: 'whois.iana.org', port: 43 },
  whoisPort: 43,
  spacingMs: 1000,
});

/** Creates the probe with the registries' answers of an agent. */
export function createDomain(sources: RegistrySources): Probe<'Domain', typeof options> {
  const registries = createRegistries(sources);
  return {
    method: 'Domain',
    purpose:
      'Queries the registry of a domain by RDAP or WHOIS. The check is good while the domain is registered and is as `Options` expect. The value is the number of days left. An agent sends a registry at most one query about a name in 6 hours. Checks in between use its last answer, and so do checks while the registry does not answer, for up to 7 days.',
    example: {
      URL: 'domain:example.org',
      ShortName: 'domain-1',
      Options: { MinDaysLeft: 14, ExpectNameServers: ['ns1.example.org', 'ns2.example.org'] },
    },
    optionsCase: 'domain',
    tracePackets: 'none',
    options,
    secretOptions: [],
    scriptFunctions: {
      domain: {
        description: 'Queries the registry of a domain.',
        target: 'name',
        result: {
          daysLeft: { type: 'number | null', description: 'null: the registry does not tell it.' },
          registrar: { type: 'string | null' },
          nameServers: { type: 'readonly string[]' },
          statuses: { type: 'readonly string[]' },
        },
      },
    },
    parseTarget: parseDomain,

    async run(context, target, settings) {
      const { RDAPServer: rdapServer, IPFamily: family } = settings;
      const found = await registries.ask(context, { name: target.host, rdapServer, family });
      return outcomeOf(context, target.host, found, settings);
    },
  };
}

/** `example.org`, `domain:example.org`. */
function parseDomain(url: string): TargetResult {
  const accepts = 'accepted is a domain such as example.org or domain:example.org';
  const refuse = (why: string): TargetResult => ({ ok: false, message: `${why}; ${accepts}` });
  if (url === '') return refuse('it is empty');
  if (/[\p{Cc}\s]/u.test(url)) return refuse('it holds a blank or a control character');
  const text = url.replace(/^domain:(\/\/)?/i, '');
  const found = parseHost(text);
  if (typeof found === 'string') return refuse(found);
  const name = found.host.replace(/\.$/, '');
  if (isIP(name) !== 0 || !name.includes('.')) return refuse('it is no domain below a top-level domain');
  return {
    ok: true,
    target: {
      display: url,
      host: name,
      port: 0,
      scheme: 'domain',
      user: undefined,
      password: undefined,
      path: '',
      url,
    },
  };
}

function outcomeOf(
  context: ProbeContext,
  name: string,
  { value, askedUs, staleBecause }: Cached<RegistryAnswer>,
  settings: DomainOptions,
): ProbeOutcome {
  const nowMs = context.clock.nowUs() / 1000;
  const askedAt = new Date(Math.floor(askedUs / 1000)).toISOString();
  const asOf = staleBecause === undefined ? '' : ` (as of ${askedAt}: ${staleBecause})`;
  if (staleBecause !== undefined) context.addDetail('Stale', staleBecause);
  if (value.kind === 'free') {
    const hint = name.split('.').length > 2 ? '; name the registered domain, such as example.org' : '';
    context.addDetail('Domain', { Name: name, IsRegistered: false, Server: value.server, AskedAt: askedAt });
    throw notMet(`${name} is not registered${hint}${asOf}`);
  }
  const { record } = value;
  const days = daysLeft(record, nowMs);
  context.addDetail('Domain', {
    Name: name,
    IsRegistered: true,
    Expires: isoOf(record.expiresMs),
    Registered: isoOf(record.registeredMs),
    Changed: isoOf(record.changedMs),
    Registrar: record.registrar ?? null,
    NameServers: record.nameServers,
    Status: record.statuses,
    DNSSEC: record.isSigned ?? null,
    Source: record.source,
    Server: value.server,
    AskedAt: askedAt,
  });
  const faults = domainFaults(record, settings, nowMs);
  const failure = faults.length === 0 ? undefined : notMet(`${name}: ${faults.join('; ')}${asOf}`);
  return {
    code: failure?.code ?? resultCode.ok,
    text: failure?.message ?? `${registeredText(name, record, days)}${asOf}`,
    dataSize: 0,
    extended: {},
    ...(days !== undefined && { values: [{ Label: 'days left', Value: days, Unit: 'd' }] }),
    answer: () => ({
      daysLeft: days ?? null,
      registrar: record.registrar ?? null,
      nameServers: record.nameServers,
      statuses: record.statuses,
    }),
  };
}

function registeredText(
  name: string,
  { expiresMs, registrar }: DomainRecord,
  days: number | undefined,
): string {
  const until =
    expiresMs === undefined || days === undefined
      ? ''
      : ` until ${new Date(expiresMs).toISOString().slice(0, 10)} (${showDays(days)})`;
  return `${name} is registered${until}${registrar === undefined ? '' : ` with ${quoteShort(registrar)}`}`;
}
