import { Resolver } from 'node:dns';
import { isIP } from 'node:net';
import { resultCode } from '@vantage/domain';
import type { Address } from '../contract/dial.ts';
import { showSeconds } from '../contract/display.ts';
import { Failure, systemCode } from '../contract/failure.ts';
import type { IpFamily } from '../contract/options.ts';
import type { ProbeContext } from '../contract/probe.ts';
import { createResolverFiles, isLocalhost, loopback } from './resolver-files.ts';

/** RFC 8305 section 3: the time for which an answer with IPv4 addresses waits for the answer with IPv6 addresses. */
const resolutionDelayMs = 50;
const maxAddresses = 10;

type NameAnswer =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  | { readonly kind: 'none'; readonly code: string }
  | { readonly kind: 'silent'; readonly code: string };

/** The source of the addresses of names. */
export interface NameResolver {
  /**
   * The addresses of a host, IPv6 and IPv4 alternating (RFC 8305 section 4). Measures the `dns` phase unless the host
   * is an address. Throws Failure 5 if the name servers report no address, and 10 if none of the agent's resolvers
   * answers or its files cannot be read.
   */
  resolve(
    context: Pick<ProbeContext, 'clock' | 'signal' | 'stopwatch' | 'timeoutMs' | 'addDetail'>,
    host: string,
    family: IpFamily,
  ): Promise<readonly Address[]>;
  /** The resolvers in use, as `10.0.0.2` or `10.0.0.2:5353`. */
  servers(): readonly string[];
}

/**
 * Creates the resolver of an agent: the hosts file first, then the name servers through c-ares. Every query is sent
 * to a server; nothing is cached, so that a dead name server is detected. `servers` replaces those of resolv.conf.
 */
export function createNames(
  deps: {
    readonly servers?: readonly string[];
    readonly hostsPath?: string;
    readonly resolvPath?: string;
    readonly monoMs?: () => number;
  } = {},
): NameResolver {
  const { servers, monoMs = () => performance.now(), ...paths } = deps;
  const files = createResolverFiles({ monoMs, ...paths });
  let shared: Resolver | undefined;
  let createdMs = 0;
  const resolver = () => {
    if (shared === undefined || (servers === undefined && monoMs() - createdMs > 30_000)) {
      shared = new Resolver({ timeout: 1000, tries: 3 });
      if (servers) shared.setServers(servers);
      createdMs = monoMs();
    }
    return shared;
  };
  const query = (name: string, family: 4 | 6) =>
    new Promise<NameAnswer>((settle) => {
      const done = (error: unknown, addresses: readonly string[] | undefined) =>
        settle(error ? answerOf(systemCode(error)) : { kind: 'addresses', addresses: addresses ?? [] });
      if (family === 4) resolver().resolve4(name, done);
      else resolver().resolve6(name, done);
    });
  const alive = () =>
    new Promise<boolean>((settle) => {
      resolver().resolveNs('.', (error) => settle(!error || answerOf(systemCode(error)).kind === 'none'));
    });

  return {
    servers: () => resolver().getServers(),
    async resolve(context, host, family) {
      const literal = literalAddress(host, family);
      if (literal !== undefined) return [literal];
      const { stopwatch } = context;
      const beforeMs = stopwatch.read().dns;
      stopwatch.enter('dns');
      const known = await files.current();
      // DNSTime excludes the reading of this machine's files, unless the check is cut off meanwhile.
      stopwatch.conclude('dns', beforeMs);
      stopwatch.enter('dns');
      const inFile = pick(known.addresses(host), family);
      // If the hosts file has a name for one family only, the other family is not queried on the wire.
      const listed = inFile.length === 0 && isLocalhost(host) ? pick(loopback, family) : inFile;
      if (listed.length > 0) {
        context.stopwatch.pause();
        return listed;
      }
      const within = async <T>(work: Promise<T>, ms: number) => race(work, ms, context);
      const budgetMs = context.timeoutMs * 0.75;
      const startedMs = context.clock.monoMs();
      let last: NameAnswer = { kind: 'silent', code: 'ETIMEOUT' };
      for (const name of known.candidates(host)) {
        const leftMs = budgetMs - (context.clock.monoMs() - startedMs);
        const answer = await within(queryBoth(query, name, family, context), Math.max(leftMs, 0));
        last = answer ?? { kind: 'silent', code: 'ETIMEOUT' };
        if (last.kind === 'addresses' || last.kind === 'silent') break;
      }
      if (last.kind === 'addresses') {
        context.stopwatch.pause();
        const picked = pick(last.addresses, family);
        context.addDetail('Addresses', () => picked.map(({ address }) => address));
        return picked;
      }
      const serverTexts = resolver().getServers().join(', ');
      context.addDetail('Resolvers', serverTexts);
      if (last.kind === 'none') throw noName(host, family, last.code);
      const rest = context.timeoutMs - (context.clock.monoMs() - startedMs);
      if (last.code === 'ETIMEOUT' && (await within(alive(), Math.max(rest * 0.8, 1)))) {
        const spent = showSeconds(context.clock.monoMs() - startedMs);
        throw new Failure(
          resultCode.name,
          `no answer about ${host} within ${spent}, though the resolver (${serverTexts}) answers: the name's own servers are silent`,
        );
      }
      throw new Failure(
        resultCode.agent,
        `none of this agent's resolvers answers (asked ${serverTexts || 'none'} about ${host})`,
      );
    },
  };
}

/** The address of a host that is no name; measures no phase. Throws Failure 5 if it is of another family. */
export function literalAddress(host: string, family: IpFamily): Address | undefined {
  const literal = isIP(host);
  if (literal === 0) return undefined;
  if (family !== 'Any' && Number(family) !== literal)
    throw new Failure(resultCode.name, `${host} is no IPv${family} address`);
  return { address: host, family: literal === 6 ? 6 : 4 };
}

/** Distinguishes the c-ares errors that are answers of a working name server from its silence. */
function answerOf(code: string): NameAnswer {
  const silent = ['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED', 'EFILE', 'ELOADIPHLPAPI'];
  return silent.includes(code) ? { kind: 'silent', code } : { kind: 'none', code };
}

function noName(host: string, family: IpFamily, code: string): Failure {
  const version = family === 'Any' ? '' : ` IPv${family}`;
  const texts: Readonly<Record<string, string>> = {
    ENOTFOUND: `${host} does not exist (NXDOMAIN)`,
    ENODATA: `${host} has no${version} address`,
    ESERVFAIL: `the resolver failed on ${host} (SERVFAIL)`,
    EREFUSED: `the resolver refuses to look up ${host} (REFUSED)`,
    EFORMERR: `the resolver does not understand the question about ${host} (FORMERR)`,
    ENOTIMP: `the resolver does not look up names like ${host} (NOTIMP)`,
    EBADRESP: `the resolver's answer about ${host} is malformed`,
    EBADNAME: `${host} is no name that can be looked up`,
  };
  return new Failure(resultCode.name, texts[code] ?? `${host} could not be resolved (${code})`);
}

/** Queries both families at the same time. An answer with IPv4 addresses waits shortly for IPv6. */
async function queryBoth(
  query: (name: string, family: 4 | 6) => Promise<NameAnswer>,
  name: string,
  family: IpFamily,
  context: Pick<ProbeContext, 'clock' | 'signal'>,
): Promise<NameAnswer> {
  if (family !== 'Any') return query(name, family === '4' ? 4 : 6);
  const six = query(name, 6);
  const four = await query(name, 4);
  if (four.kind !== 'addresses' || four.addresses.length === 0) return merge(four, await six);
  const late = await race(six, resolutionDelayMs, context);
  return late?.kind === 'addresses' ? merge(four, late) : four;
}

function merge(four: NameAnswer, six: NameAnswer): NameAnswer {
  if (four.kind === 'addresses' && six.kind === 'addresses') {
    return { kind: 'addresses', addresses: [...six.addresses, ...four.addresses] };
  }
  if (six.kind === 'addresses') return six;
  if (four.kind === 'addresses') return four;
  return four.kind === 'none' ? four : six;
}

/** IPv6 and IPv4 alternating, IPv6 first; at most ten. */
function pick(addresses: readonly string[], family: IpFamily): readonly Address[] {
  const six = addresses.filter((address) => isIP(address) === 6);
  const four = addresses.filter((address) => isIP(address) === 4);
  const found: Address[] = [];
  for (let i = 0; i < Math.max(six.length, four.length); i += 1) {
    const [v6, v4] = [six[i], four[i]];
    if (v6 !== undefined && family !== '4') found.push({ address: v6, family: 6 });
    if (v4 !== undefined && family !== '6') found.push({ address: v4, family: 4 });
  }
  return found.slice(0, maxAddresses);
}

/** The result of the work; undefined after `ms`; rejects when the signal aborts. */
function race<T>(
  work: Promise<T>,
  ms: number,
  context: Pick<ProbeContext, 'clock' | 'signal'>,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    if (context.signal.aborted) {
      // The work is no longer awaited, and its rejection must not end the process.
      work.catch(() => {});
      reject(context.signal.reason);
      return;
    }
    const finish = (then: () => void) => {
      timer[Symbol.dispose]();
      context.signal.removeEventListener('abort', onAbort);
      then();
    };
    const onAbort = () => finish(() => reject(context.signal.reason));
    const timer = context.clock.timer(ms, () => finish(() => resolve(undefined)));
    context.signal.addEventListener('abort', onAbort, { once: true });
    work.then(
      (value) => finish(() => resolve(value)),
      (error: unknown) => finish(() => reject(error)),
    );
  });
}
