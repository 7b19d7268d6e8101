import type { Json } from '@vantage/domain';
import { resultCode } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import type { Address } from '../../contract/dial.ts';
import { Failure, notMet } from '../../contract/failure.ts';
import {
  ipFamilyOption,
  slowMsOption,
  tlsOptionsWithoutStart,
  tlsSecretOptions,
} from '../../contract/options.ts';
import type { Probe, ProbeContext, Target } from '../../contract/probe.ts';
import { parseTarget } from '../../contract/target.ts';
import { askStream, askUdp, type Query, type Reply } from './exchange.ts';
import { compareRecords, recordType, showRecord } from './records.ts';
import { parseDnsTarget, questionOf, wireName } from './target.ts';

const serverText = boundedText(300).refine(
  (text) => serverAt(text, 53) !== undefined,
  'must be host, host:port, an address or [v6]:port, such as 192.0.2.53',
);

const options = z.strictObject({
  Server: serverText.optional().describe("Server to ask; default: the URL's, else the agent's resolvers."),
  Type: recordType.optional().describe("Record type; default: the URL's ?type=, else A."),
  Expect: z
    .array(boundedText(4096, 1))
    .max(100)
    .default([])
    .describe('The records expected, as zone files write them, in any order: exactly these.'),
  Transport: z.enum(['UDP', 'TCP', 'TLS']).default('UDP').describe('UDP asks again over TCP when truncated.'),
  TLS: tlsOptionsWithoutStart,
  ExpectRcode: boundedText(16)
    .regex(/^[A-Z]{2,16}$/, 'must be a code such as NOERROR or NXDOMAIN')
    .optional()
    .describe('Response code expected; default NOERROR with at least one record.'),
  CompareSOAWith: z
    .array(serverText)
    .max(10)
    .default([])
    .describe('Servers whose SOA serial of this zone must be the same.'),
  Recursion: z.boolean().default(true).describe('Ask for recursion.'),
  SlowMs: slowMsOption,
  IPFamily: ipFamilyOption,
});

type DnsOptions = z.output<typeof options>;

/** Servers that are tried one after the other when an earlier one is silent. */
const maxServers = 3;

/** DNS: asks a server, or the agent's resolvers, one question and judges the answer. */
export const dns: Probe<'DNS', typeof options> = {
  method: 'DNS',
  purpose:
    'Asks a DNS server for records. The check is good when there is an answer and it has what `Options` expect.',
  example: {
    URL: 'dns://192.0.2.53/www.example.com?type=A',
    ShortName: 'dns-1',
    Options: { Expect: ['192.0.2.80'] },
  },
  optionsCase: 'dns',
  tracePackets: 'udp',
  options,
  secretOptions: tlsSecretOptions,
  scriptFunctions: {
    dns: {
      description: 'Asks a name server.',
      target: 'name',
      result: {
        answers: {
          type: 'readonly string[]',
          description: "The records' data as zone files write them.",
        },
        rcode: { type: 'string' },
      },
    },
  },
  parseTarget: parseDnsTarget,

  async run(context, target, wanted) {
    const question = questionOf(target);
    const type = wanted.Type ?? question.type ?? 'A';
    const query: Query = { name: wireName(question.name, type), type, recursion: wanted.Recursion };
    context.addDetail('Question', `${query.name} ${type}`);
    const servers = serversOf(context, target, wanted);
    const reply = await ask(context, servers, query, wanted);
    noteReply(context, reply);
    const records = recordsOf(reply, query);
    const fault = judge(reply, query, records, wanted);
    if (fault) throw fault;
    const serials = await compareSerials(context, servers, query, reply, wanted);
    const shown = records.length === 0 ? reply.rcode : records.slice(0, 5).join(', ');
    return {
      code: resultCode.ok,
      text: `${query.name} ${type}: ${shown}${records.length > 5 ? ` and ${records.length - 5} more` : ''}`,
      dataSize: reply.bytes,
      extended: serials ? { Serials: serials } : {},
      answer: () => ({ answers: records, rcode: reply.rcode }),
    };
  },
};

interface Server {
  readonly host: string;
  readonly port: number;
}

interface Servers {
  readonly list: readonly Server[];
  /** The agent's own resolvers: their silence is the agent's fault. */
  readonly own: boolean;
}

function serverAt(text: string, port: number): Server | undefined {
  const found = parseTarget(text, { schemes: { dns: port }, scheme: 'dns', accepts: '' });
  return found.ok && !text.includes('://') ? { host: found.target.host, port: found.target.port } : undefined;
}

function serversOf(context: ProbeContext, target: Target, wanted: DnsOptions): Servers {
  const standard = wanted.Transport === 'TLS' ? 853 : 53;
  const named = wanted.Server === undefined ? undefined : serverAt(wanted.Server, standard);
  if (named) return { list: [named], own: false };
  if (target.scheme !== 'name') {
    const given = /^dns:\/\/(\[[^\]]*\]|[^/:]*):\d/.test(target.url);
    return { list: [{ host: target.host, port: given ? target.port : standard }], own: false };
  }
  const list = context.dial
    .servers()
    .map((each) => serverAt(each, standard))
    .filter((each) => each !== undefined)
    .slice(0, maxServers);
  if (list.length === 0) throw new Failure(resultCode.agent, 'this agent has no resolver configured');
  return { list, own: true };
}

/** Asks one server after the other until one answers. */
async function ask(
  context: ProbeContext,
  servers: Servers,
  query: Query,
  wanted: DnsOptions,
): Promise<Reply> {
  if (wanted.Transport !== 'UDP') {
    const tls = wanted.Transport === 'TLS' ? wanted.TLS : undefined;
    let failure: unknown;
    for (const server of servers.list) {
      try {
        return await askStream(context, { ...server, family: wanted.IPFamily }, query, tls);
      } catch (error) {
        if (context.signal.aborted) throw error;
        failure = error;
      }
    }
    throw failure;
  }
  const places: (Address & { readonly port: number })[] = [];
  for (const { host, port } of servers.list) {
    const addresses = await context.dial.resolve(context, host, wanted.IPFamily);
    for (const each of context.dial.permitted(context, addresses, port)) places.push({ ...each, port });
  }
  return askPlaces(context, places.slice(0, maxServers), servers.own, query);
}

async function askPlaces(
  context: ProbeContext,
  places: readonly (Address & { readonly port: number })[],
  own: boolean,
  query: Query,
): Promise<Reply> {
  // A single server gets the whole time; the agent's resolvers keep some for the question who is to blame.
  const shareMs = (context.timeoutMs * (own ? 0.75 : 1)) / places.length;
  let failure: unknown;
  for (const place of places) {
    try {
      const alone = places.length === 1 && !own;
      const reply = await askUdp(context, place, query, alone ? context.timeoutMs * 2 : shareMs);
      if (reply?.packet.flag_tc) {
        context.addDetail('TruncatedOverUDP', true);
        return await askStream(context, { host: place.address, port: place.port, family: 'Any' }, query);
      }
      if (reply) return reply;
    } catch (error) {
      if (context.signal.aborted) throw error;
      failure = error;
    }
  }
  const asked = places.map(({ address }) => address).join(', ');
  if (!own) throw failure ?? new Failure(resultCode.timeout, `no answer about ${query.name} from ${asked}`);
  const alive = await Promise.all(
    places.map((place) =>
      askUdp(context, place, { name: '.', type: 'NS', recursion: true }, context.timeoutMs * 0.2).catch(
        () => undefined,
      ),
    ),
  );
  if (alive.some((each) => each !== undefined)) {
    throw new Failure(
      resultCode.name,
      `no answer about ${query.name}, though the resolver (${asked}) answers: the name's own servers are silent`,
    );
  }
  throw new Failure(
    resultCode.agent,
    `none of this agent's resolvers answers (asked ${asked} about ${query.name})`,
  );
}

function noteReply(context: ProbeContext, { packet, rcode, server }: Reply): void {
  const flags = {
    AA: packet.flag_aa,
    TC: packet.flag_tc,
    RD: packet.flag_rd,
    RA: packet.flag_ra,
    AD: packet.flag_ad,
  };
  context.setPeers([server]);
  context.addDetail('Rcode', rcode);
  context.addDetail('Flags', () => Object.entries(flags).flatMap(([name, set]) => (set ? [name] : [])));
  const shown = (list: typeof packet.answers): Json =>
    (list ?? [])
      .filter((each) => each.type !== 'OPT')
      .slice(0, 50)
      .map((each) => ({
        Name: each.name,
        Type: each.type,
        TTL: 'ttl' in each ? (each.ttl ?? 0) : 0,
        Data: showRecord(each),
      }));
  context.addDetail('Answers', () => shown(packet.answers));
  context.diagnostics('Authorities', () => shown(packet.authorities));
}

function recordsOf({ packet }: Reply, query: Query): readonly string[] {
  return (packet.answers ?? []).filter((each) => each.type === query.type).map(showRecord);
}

function judge(
  { rcode, peer }: Reply,
  { name, type }: Query,
  records: readonly string[],
  wanted: DnsOptions,
): Failure | undefined {
  const expected = wanted.ExpectRcode;
  if (expected !== undefined && rcode !== expected)
    return notMet(`expected ${expected} for ${name}, got ${rcode}`);
  if (expected === undefined) {
    if (rcode === 'NXDOMAIN')
      return new Failure(resultCode.name, `${name} does not exist (NXDOMAIN, says ${peer})`);
    if (rcode === 'SERVFAIL') return new Failure(resultCode.name, `${peer} failed on ${name} (SERVFAIL)`);
    if (rcode !== 'NOERROR') return new Failure(resultCode.protocol, `${peer} answers ${rcode} for ${name}`);
  }
  if (wanted.Expect.length > 0) {
    const difference = compareRecords(type, wanted.Expect, records);
    return difference === undefined ? undefined : notMet(`${name} ${type}: ${difference}`);
  }
  if (records.length === 0 && expected === undefined) {
    return new Failure(resultCode.name, `${name} has no ${type} record (says ${peer})`);
  }
  return undefined;
}

/** The zone's serial at every server, when that is asked for; throws 7 when they differ. */
async function compareSerials(
  context: ProbeContext,
  servers: Servers,
  query: Query,
  reply: Reply,
  wanted: DnsOptions,
): Promise<Json | undefined> {
  if (wanted.CompareSOAWith.length === 0) return undefined;
  const soa: Query = { ...query, type: 'SOA' };
  const first = query.type === 'SOA' ? reply : await ask(context, servers, soa, wanted);
  const serials: Record<string, number> = { [first.peer]: serialOf(first, soa) };
  const standard = wanted.Transport === 'TLS' ? 853 : 53;
  for (const text of wanted.CompareSOAWith) {
    const server = serverAt(text, standard);
    if (!server) continue;
    const other = await ask(context, { list: [server], own: false }, soa, wanted);
    serials[other.peer] = serialOf(other, soa);
  }
  if (new Set(Object.values(serials)).size > 1) {
    const listed = Object.entries(serials).map(([peer, serial]) => `${serial} at ${peer}`);
    throw notMet(`SOA serials of ${query.name} differ: ${listed.join(', ')}`, { Serials: serials });
  }
  return serials;
}

function serialOf(reply: Reply, query: Query): number {
  const found = reply.packet.answers?.find((each) => each.type === 'SOA');
  if (found?.type === 'SOA' && found.data.serial !== undefined) return found.data.serial;
  throw new Failure(resultCode.protocol, `${reply.peer} has no SOA record of ${query.name} (${reply.rcode})`);
}
