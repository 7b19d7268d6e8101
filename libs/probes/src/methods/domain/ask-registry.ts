import { dayMs, hourMs, type Json, resultCode } from '@vantage/domain';
import { declareState, parseJson } from '@vantage/kernel';
import { quoteShort } from '../../contract/display.ts';
import { Failure } from '../../contract/failure.ts';
import type { IpFamily } from '../../contract/options.ts';
import type { ProbeContext } from '../../contract/probe.ts';
import { parseHost } from '../../contract/target.ts';
import { openDialogue } from '../../dialogue/dialogue.ts';
import type { RegistryAnswer } from './domain-record.ts';
import { type Cached, createPoliteCache, type PoliteCache } from './polite-cache.ts';
import { readBootstrap, readRdap, serverFor } from './read-rdap.ts';
import { readWhois, whoisValue } from './read-whois.ts';
import { createRegistryTurns, type RegistryTurns } from './registry-turns.ts';

/** The servers that name the registry of a domain. */
export interface RegistrySources {
  /** IANA's list of RDAP servers (RFC 9224). */
  readonly bootstrapUrl: string;
  /** The WHOIS server that names those of the top-level domains. */
  readonly whoisRoot: { readonly host: string; readonly port: number };
  /** The port of all others. */
  readonly whoisPort: number;
  /** The time between two requests to a registry. */
  readonly spacingMs: number;
}

/** Queries registries, and keeps their answers for all devices of an agent. */
export interface Registries {
  ask(context: ProbeContext, question: DomainQuestion): Promise<Cached<RegistryAnswer>>;
}

interface DomainQuestion {
  readonly name: string;
  readonly family: IpFamily;
  /** The base URL of the RDAP server; default: by IANA's list. */
  readonly rdapServer: string | undefined;
}

const maxBody = 1024 * 1024;
const maxWhois = 256 * 1024;

const trackedDomains = declareState({
  name: 'domain_registrations',
  entries: 16 * 1024 * 1024,
  entryBytes: 1,
  filledBy: 'devices of the Method Domain',
  atBound: 'the one that was used longest ago is forgotten; its next check asks the registry',
});
const trackedServers = declareState({
  name: 'registry_servers',
  entries: 8 * 1024 * 1024,
  entryBytes: 1,
  filledBy: "IANA's list of registries, devices of the Method Domain",
  atBound: 'the one that was used longest ago is forgotten and asked for again',
});
const trackedTurns = declareState({
  name: 'registry_turns',
  entries: 500,
  entryBytes: 200,
  filledBy: 'devices of the Method Domain',
  atBound: 'a registry that was forgotten gets its next query at once',
});

const ownCodes = [resultCode.policy, resultCode.agent] as const;

export function createRegistries(sources: RegistrySources): Registries {
  const domains = trackedDomains(
    createPoliteCache<RegistryAnswer>({
      maxBytes: 16 * 1024 * 1024,
      bytesOf: (value) => 2 * JSON.stringify(value).length,
      agesOf: (value) => ({
        freshMs: value?.kind === 'free' ? hourMs : 6 * hourMs,
        usableMs: value?.kind === 'free' ? hourMs : 7 * dayMs,
      }),
      ownCodes,
    }),
  );
  const serverAges = () => ({ freshMs: dayMs, usableMs: 30 * dayMs });
  const lists = trackedServers(
    createPoliteCache<ReadonlyMap<string, string>>({
      maxBytes: 4 * 1024 * 1024,
      bytesOf: (value) => 200 * value.size,
      agesOf: serverAges,
      ownCodes,
    }),
  );
  const whoisServers = trackedServers(
    createPoliteCache<string>({
      maxBytes: 4 * 1024 * 1024,
      bytesOf: (value) => 2 * value.length,
      agesOf: serverAges,
      ownCodes,
    }),
  );
  const turns = trackedTurns(createRegistryTurns(sources.spacingMs));
  return {
    ask(context, question) {
      const asking: Asking = {
        context,
        question,
        sources,
        lists,
        whoisServers,
        turns,
        startedMs: context.clock.monoMs(),
      };
      const key = `${question.name} ${question.rdapServer ?? ''}`;
      return domains.get(key, context.clock, context.signal, () => askNow(asking));
    },
  };
}

/** One check that asks. */
interface Asking {
  readonly context: ProbeContext;
  readonly question: DomainQuestion;
  readonly sources: RegistrySources;
  readonly lists: PoliteCache<ReadonlyMap<string, string>>;
  readonly whoisServers: PoliteCache<string>;
  readonly turns: RegistryTurns;
  readonly startedMs: number;
}

async function askNow(asking: Asking): Promise<RegistryAnswer> {
  const { context, question, lists } = asking;
  const { name } = question;
  let base = question.rdapServer;
  if (base === undefined) {
    const list = await lists.get('dns', context.clock, context.signal, () => fetchList(asking));
    base = serverFor(list.value, name);
  }
  return base === undefined ? askWhois(asking) : askRdap(asking, base);
}

async function fetchList(asking: Asking): Promise<ReadonlyMap<string, string>> {
  const { bootstrapUrl } = asking.sources;
  try {
    const { body } = await fetchText(asking, bootstrapUrl, [200]);
    const servers = readBootstrap(body);
    if (servers === undefined) throw new Failure(resultCode.protocol, 'it is no list of RDAP servers');
    return servers;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const text = `the list of registries (${bootstrapUrl}) cannot be read: ${error.message}`;
    throw new Failure(error.code, text, { cause: error });
  }
}

async function askRdap(asking: Asking, base: string): Promise<RegistryAnswer> {
  const url = `${base.endsWith('/') ? base : `${base}/`}domain/${encodeURIComponent(asking.question.name)}`;
  const { status, body } = await fetchText(asking, url, [200, 404]);
  const server = new URL(url).host;
  if (status === 404) return { kind: 'free', server };
  const record = readRdap(body);
  if (record !== undefined) return { kind: 'registered', server, record };
  const what = parseJson(body) === undefined ? 'no JSON' : 'no domain of RDAP';
  throw new Failure(resultCode.protocol, `${server} sent ${what}: ${quoteShort(body)}`);
}

interface FetchedText {
  readonly status: number;
  readonly body: string;
}

/** A share of the remaining time, so that the step ends before the check and its text says where it was. */
function stepMs({ context, startedMs }: Asking): number {
  const leftMs = context.timeoutMs - (context.clock.monoMs() - startedMs);
  return Math.max(1, Math.floor(leftMs * 0.95));
}

async function fetchText(asking: Asking, url: string, good: readonly number[]): Promise<FetchedText> {
  const { context, question, turns } = asking;
  const { host } = new URL(url);
  await turns.wait(context, host, stepMs(asking) / 2);
  const step = await context.runStep({
    method: 'HTTP',
    policyMethod: context.method,
    url,
    options: {
      Headers: { Accept: 'application/rdap+json, application/json' },
      ExpectStatus: ['100-599'],
      MaxRedirects: 5,
      MaxSize: maxBody,
      IPFamily: question.family,
    },
    timeoutMs: stepMs(asking),
  });
  if (!step.ok) throw new Failure(resultCode.agent, `${url} cannot be requested: ${step.message}`);
  const { measurement, answer } = step;
  addPhases(context, measurement.phases);
  if (measurement.peers.length > 0) context.setPeers(measurement.peers);
  context.diagnostics('Request', { URL: url, ...measurement.extended });
  if (measurement.code !== resultCode.ok) throw new Failure(measurement.code, measurement.text);
  const { status, body } = answer;
  if (typeof status !== 'number' || typeof body !== 'string')
    throw new Failure(resultCode.agent, `${url} has no answer`);
  if (good.includes(status)) return { status, body };
  throw new Failure(resultCode.protocol, `${host} answers ${measurement.text}${statusAdvice(status)}`);
}

function statusAdvice(status: number): string {
  return status === 429 ? ': it wants fewer requests' : '';
}

function addPhases(
  { stopwatch }: ProbeContext,
  phases: Readonly<Record<'dns' | 'connect' | 'ssl' | 'ttfb' | 'ttlb', number>>,
) {
  const before = stopwatch.read();
  for (const phase of ['dns', 'connect', 'ssl', 'ttfb', 'ttlb'] as const)
    stopwatch.conclude(phase, before[phase] + phases[phase]);
}

async function askWhois(asking: Asking): Promise<RegistryAnswer> {
  const { context, question, sources, whoisServers } = asking;
  const top = question.name.slice(question.name.lastIndexOf('.') + 1);
  const server = await whoisServers.get(top, context.clock, context.signal, async () => {
    const text = await query(asking, sources.whoisRoot, top);
    return whoisValue(text, 'whois') ?? '';
  });
  const host = parseHost(server.value.toLowerCase());
  if (typeof host === 'string')
    throw new Failure(
      resultCode.name,
      `IANA knows neither an RDAP nor a WHOIS server of .${top}: set RDAPServer if the registry has one`,
    );
  const text = await query(asking, { host: host.host, port: sources.whoisPort }, question.name);
  const registration = readWhois(text);
  if (registration !== undefined) return { ...registration, server: host.host };
  throw new Failure(
    resultCode.protocol,
    `${host.host} sent nothing about ${question.name}: ${quoteShort(text)}`,
  );
}

/** A question to a WHOIS server, which ends its answer by closing the connection (RFC 3912). */
async function query(
  asking: Asking,
  server: { readonly host: string; readonly port: number },
  question: string,
): Promise<string> {
  const { context, turns } = asking;
  await turns.wait(context, server.host, stepMs(asking) / 2);
  using connection = await context.dial.connect(context, { ...server, family: asking.question.family });
  using dialogue = openDialogue(context, connection, { text: false, speaksFirst: 'client' });
  await dialogue.send(question);
  const chunks: Buffer[] = [];
  while (dialogue.received <= maxWhois) {
    try {
      chunks.push(await dialogue.readSome());
    } catch (error) {
      const isReset = error instanceof Failure && error.reason === 'reset';
      if (context.signal.aborted || isReset || dialogue.received === 0) throw error;
      context.stopwatch.pause();
      return Buffer.concat(chunks).toString('utf8');
    }
  }
  throw new Failure(resultCode.protocol, `${connection.peer} sent more than ${maxWhois / 1024} KiB`);
}

/** For facts. */
export function isoOf(ms: number | undefined): Json {
  return ms === undefined ? null : new Date(ms).toISOString();
}
