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
import { askStream, askUdp, type DnsQuery, type DnsReply } from './dns-exchange.ts';
import { recordType } from './dns-records.ts';
import { parseDnsTarget, questionOf, wireName } from './dns-target.ts';
import { judgeReply, noteReply, recordsOf } from './judge-reply.ts';

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
  Recursion: z.boolean().default(true).describe('Request recursion.'),
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

  async run(context, target, settings) {
    const question = questionOf(target);
    const type = settings.Type ?? question.type ?? 'A';
    const query: DnsQuery = { name: wireName(question.name, type), type, recursion: settings.Recursion };
    context.addDetail('Question', `${query.name} ${type}`);
    const servers = serversOf(context, target, settings);
    const reply = await ask(context, servers, query, settings);
    noteReply(context, reply);
    const records = recordsOf(reply, query);
    const fault = judgeReply(reply, query, records, settings);
    if (fault) throw fault;
    const serials = await compareSerials(context, servers, query, reply, settings);
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

interface NameServer {
  readonly host: string;
  readonly port: number;
}

interface NameServers {
  readonly list: readonly NameServer[];
  /** These are the agent's resolvers. If they are silent, the agent is to blame. */
  readonly areResolvers: boolean;
}

type ServerEndpoint = Address & { readonly port: number };

function serverAt(text: string, port: number): NameServer | undefined {
  const found = parseTarget(text, { schemes: { dns: port }, scheme: 'dns', accepts: '' });
  return found.ok && !text.includes('://') ? { host: found.target.host, port: found.target.port } : undefined;
}

function serversOf(context: ProbeContext, target: Target, settings: DnsOptions): NameServers {
  const standard = settings.Transport === 'TLS' ? 853 : 53;
  const named = settings.Server === undefined ? undefined : serverAt(settings.Server, standard);
  if (named) return { list: [named], areResolvers: false };
  if (target.scheme !== 'name') {
    const hasPort = /^dns:\/\/(\[[^\]]*\]|[^/:]*):\d/.test(target.url);
    return { list: [{ host: target.host, port: hasPort ? target.port : standard }], areResolvers: false };
  }
  const list = context.dial
    .servers()
    .map((server) => serverAt(server, standard))
    .filter((server) => server !== undefined)
    .slice(0, maxServers);
  if (list.length === 0) throw new Failure(resultCode.agent, 'this agent has no resolver configured');
  return { list, areResolvers: true };
}

/** Asks one server after the other until one answers. */
async function ask(
  context: ProbeContext,
  servers: NameServers,
  query: DnsQuery,
  settings: DnsOptions,
): Promise<DnsReply> {
  if (settings.Transport !== 'UDP') {
    const tls = settings.Transport === 'TLS' ? settings.TLS : undefined;
    let failure: unknown;
    for (const server of servers.list) {
      try {
        return await askStream(context, { ...server, family: settings.IPFamily }, query, tls);
      } catch (error) {
        if (context.signal.aborted) throw error;
        failure = error;
      }
    }
    throw failure;
  }
  const endpoints: ServerEndpoint[] = [];
  for (const { host, port } of servers.list) {
    const addresses = await context.dial.resolve(context, host, settings.IPFamily);
    for (const address of context.dial.permitted(context, addresses, port))
      endpoints.push({ ...address, port });
  }
  return askOverUdp(context, endpoints.slice(0, maxServers), servers.areResolvers, query);
}

async function askOverUdp(
  context: ProbeContext,
  endpoints: readonly ServerEndpoint[],
  areResolvers: boolean,
  query: DnsQuery,
): Promise<DnsReply> {
  // A named server gets the whole time. With resolvers, a quarter is left to find out who is to blame.
  const shareMs = (context.timeoutMs * (areResolvers ? 0.75 : 1)) / endpoints.length;
  let failure: unknown;
  for (const endpoint of endpoints) {
    try {
      const isOnlyServer = endpoints.length === 1 && !areResolvers;
      const reply = await askUdp(context, endpoint, query, isOnlyServer ? context.timeoutMs * 2 : shareMs);
      if (reply?.packet.flag_tc) {
        context.addDetail('TruncatedOverUDP', true);
        return await askStream(
          context,
          { host: endpoint.address, port: endpoint.port, family: 'Any' },
          query,
        );
      }
      if (reply) return reply;
    } catch (error) {
      if (context.signal.aborted) throw error;
      failure = error;
    }
  }
  const addresses = endpoints.map(({ address }) => address).join(', ');
  if (!areResolvers)
    throw failure ?? new Failure(resultCode.timeout, `no answer about ${query.name} from ${addresses}`);
  const alive = await Promise.all(
    endpoints.map((endpoint) =>
      askUdp(context, endpoint, { name: '.', type: 'NS', recursion: true }, context.timeoutMs * 0.2).catch(
        () => undefined,
      ),
    ),
  );
  if (alive.some((reply) => reply !== undefined)) {
    throw new Failure(
      resultCode.name,
      `no answer about ${query.name}, though the resolver (${addresses}) answers: the name's own servers are silent`,
    );
  }
  throw new Failure(
    resultCode.agent,
    `none of this agent's resolvers answers (asked ${addresses} about ${query.name})`,
  );
}

/** The zone's serial at every server, if `CompareSOAWith` names servers. Throws Failure 7 if they differ. */
async function compareSerials(
  context: ProbeContext,
  servers: NameServers,
  query: DnsQuery,
  reply: DnsReply,
  settings: DnsOptions,
): Promise<Json | undefined> {
  if (settings.CompareSOAWith.length === 0) return undefined;
  const soa: DnsQuery = { ...query, type: 'SOA' };
  const first = query.type === 'SOA' ? reply : await ask(context, servers, soa, settings);
  const serials: Record<string, number> = { [first.peer]: serialOf(first, soa) };
  const standard = settings.Transport === 'TLS' ? 853 : 53;
  for (const text of settings.CompareSOAWith) {
    const server = serverAt(text, standard);
    if (!server) continue;
    const other = await ask(context, { list: [server], areResolvers: false }, soa, settings);
    serials[other.peer] = serialOf(other, soa);
  }
  if (new Set(Object.values(serials)).size > 1) {
    const listed = Object.entries(serials).map(([peer, serial]) => `${serial} at ${peer}`);
    throw notMet(`SOA serials of ${query.name} differ: ${listed.join(', ')}`, { Serials: serials });
  }
  return serials;
}

function serialOf(reply: DnsReply, query: DnsQuery): number {
  const found = reply.packet.answers?.find((answer) => answer.type === 'SOA');
  if (found?.type === 'SOA' && found.data.serial !== undefined) return found.data.serial;
  throw new Failure(resultCode.protocol, `${reply.peer} has no SOA record of ${query.name} (${reply.rcode})`);
}
