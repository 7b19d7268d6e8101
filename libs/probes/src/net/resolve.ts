import { Resolver } from 'node:dns';
import { isIP } from 'node:net';
import { resultCode } from '@vantage/domain';
import type { Address } from '../contract/dial.ts';
import { Failure, showSeconds, systemCode } from '../contract/failure.ts';
import type { IpFamily } from '../contract/options.ts';
import type { ProbeContext } from '../contract/probe.ts';
import { createResolverFiles, isLocalhost, loopback } from './resolver-files.ts';

/**
 * RFC 8305 section 3: how long a first answer with IPv4 addresses waits for the one with IPv6 addresses, milliseconds.
 */
const resolutionDelayMs = 50;
const maxAddresses = 10;

type Answer =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  | { readonly kind: 'none'; readonly code: string }
  | { readonly kind: 'silent'; readonly code: string };

/** Where the names' addresses come from. */
export interface Names {
  /**
   * The addresses of a host, IPv6 and IPv4 alternating (RFC 8305 section 4). Spends the `dns` phase unless the host is
   * an address. Throws Failure 5 when the name servers report no address, 10 when none of the agent's resolvers answers
   * or its files cannot be read.
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
 * Creates the names of an agent: the hosts file first, then its resolvers through c-ares, where every query goes on the
 * wire (nothing is cached, so that a dead resolver is seen). `servers` replaces those of resolv.conf.
 */
export function createNames(
  deps: {
    readonly servers?: readonly string[];
    readonly hostsPath?: string;
    readonly resolvPath?: string;
    readonly monoMs?: () => number;
  } = {},
): Names {
  const { servers, monoMs = () => performance.now(), ...paths } = deps;
  const files = createResolverFiles({ monoMs, ...paths });
  let shared: Resolver | undefined;
  let madeMs = 0;
  const resolver = () => {
    if (shared === undefined || (servers === undefined && monoMs() - madeMs > 30_000)) {
      shared = new Resolver({ timeout: 1000, tries: 3 });
      if (servers) shared.setServers(servers);
      madeMs = monoMs();
    }
    return shared;
  };
  const ask = (name: string, family: 4 | 6) =>
    new Promise<Answer>((settle) => {
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
      // DNSTime excludes the time for reading this machine's files, unless the check is cut off meanwhile.
      stopwatch.conclude('dns', beforeMs);
      stopwatch.enter('dns');
      const inFile = pick(known.addresses(host), family);
      // A hosts file that names it for one family only does not send the other one on the wire.
      const listed = inFile.length === 0 && isLocalhost(host) ? pick(loopback, family) : inFile;
      if (listed.length > 0) {
        context.stopwatch.pause();
        return listed;
      }
      const within = async <T>(work: Promise<T>, ms: number) => race(work, ms, context);
      const budgetMs = context.timeoutMs * 0.75;
      const startedMs = context.clock.monoMs();
      let last: Answer = { kind: 'silent', code: 'ETIMEOUT' };
      for (const name of known.candidates(host)) {
        const leftMs = budgetMs - (context.clock.monoMs() - startedMs);
        const answer = await within(askBoth(ask, name, family, context), Math.max(leftMs, 0));
        last = answer ?? { kind: 'silent', code: 'ETIMEOUT' };
        if (last.kind === 'addresses' || last.kind === 'silent') break;
      }
      if (last.kind === 'addresses') {
        context.stopwatch.pause();
        const picked = pick(last.addresses, family);
        context.addDetail('Addresses', () => picked.map(({ address }) => address));
        return picked;
      }
      const asked = resolver().getServers().join(', ');
      context.addDetail('Resolvers', asked);
      if (last.kind === 'none') throw noName(host, family, last.code);
      const rest = context.timeoutMs - (context.clock.monoMs() - startedMs);
      if (last.code === 'ETIMEOUT' && (await within(alive(), Math.max(rest * 0.8, 1)))) {
        const spent = showSeconds(context.clock.monoMs() - startedMs);
        throw new Failure(
          resultCode.name,
          `no answer about ${host} within ${spent}, though the resolver (${asked}) answers: the name's own servers are silent`,
        );
      }
      throw new Failure(
        resultCode.agent,
        `none of this agent's resolvers answers (asked ${asked || 'none'} about ${host})`,
      );
    },
  };
}

/** The address that a host is, if it is no name; spends no phase. Throws Failure 5 where the family is another one. */
export function literalAddress(host: string, family: IpFamily): Address | undefined {
  const literal = isIP(host);
  if (literal === 0) return undefined;
  if (family !== 'Any' && Number(family) !== literal)
    throw new Failure(resultCode.name, `${host} is no IPv${family} address`);
  return { address: host, family: literal === 6 ? 6 : 4 };
}

/** Which c-ares errors are answers of a living resolver, and which its silence. */
function answerOf(code: string): Answer {
  const silent = ['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED', 'EFILE', 'ELOADIPHLPAPI'];
  return silent.includes(code) ? { kind: 'silent', code } : { kind: 'none', code };
}

function noName(host: string, family: IpFamily, code: string): Failure {
  const of = family === 'Any' ? '' : ` IPv${family}`;
  const texts: Readonly<Record<string, string>> = {
    ENOTFOUND: `${host} does not exist (NXDOMAIN)`,
    ENODATA: `${host} has no${of} address`,
    ESERVFAIL: `the resolver failed on ${host} (SERVFAIL)`,
    EREFUSED: `the resolver refuses to look up ${host} (REFUSED)`,
    EFORMERR: `the resolver does not understand the question about ${host} (FORMERR)`,
    ENOTIMP: `the resolver does not look up names like ${host} (NOTIMP)`,
    EBADRESP: `the resolver's answer about ${host} is malformed`,
    EBADNAME: `${host} is no name that can be looked up`,
  };
  return new Failure(resultCode.name, texts[code] ?? `${host} could not be resolved (${code})`);
}

/**
 * Asks for both families at once; a first answer with IPv4 waits shortly for IPv6, one with IPv6 needs no waiting for
 * the rest.
 */
async function askBoth(
  ask: (name: string, family: 4 | 6) => Promise<Answer>,
  name: string,
  family: IpFamily,
  context: Pick<ProbeContext, 'clock' | 'signal'>,
): Promise<Answer> {
  if (family !== 'Any') return ask(name, family === '4' ? 4 : 6);
  const six = ask(name, 6);
  const four = await ask(name, 4);
  if (four.kind !== 'addresses' || four.addresses.length === 0) return merge(four, await six);
  const late = await race(six, resolutionDelayMs, context);
  return late?.kind === 'addresses' ? merge(four, late) : four;
}

function merge(four: Answer, six: Answer): Answer {
  if (four.kind === 'addresses' && six.kind === 'addresses') {
    return { kind: 'addresses', addresses: [...six.addresses, ...four.addresses] };
  }
  if (six.kind === 'addresses') return six;
  if (four.kind === 'addresses') return four;
  return four.kind === 'none' ? four : six;
}

/** IPv6 and IPv4 alternating, IPv6 first; at most ten. */
function pick(addresses: readonly string[], family: IpFamily): readonly Address[] {
  const six = addresses.filter((each) => isIP(each) === 6);
  const four = addresses.filter((each) => isIP(each) === 4);
  const found: Address[] = [];
  for (let i = 0; i < Math.max(six.length, four.length); i += 1) {
    const [v6, v4] = [six[i], four[i]];
    if (v6 !== undefined && family !== '4') found.push({ address: v6, family: 6 });
    if (v4 !== undefined && family !== '6') found.push({ address: v4, family: 4 });
  }
  return found.slice(0, maxAddresses);
}

/** The work's result; undefined when `ms` pass first; rejects when the signal aborts. */
function race<T>(
  work: Promise<T>,
  ms: number,
  context: Pick<ProbeContext, 'clock' | 'signal'>,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    if (context.signal.aborted) {
      // Nobody waits for the work any more; that it fails for the same reason must not end the process.
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
