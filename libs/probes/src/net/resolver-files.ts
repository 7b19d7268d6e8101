import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { resultCode } from '@vantage/domain';
import { messageOf } from '@vantage/kernel';
import { Failure, systemCode } from '../contract/failure.ts';

/** The hosts file and the resolver settings of this machine. */
export interface ResolverFiles {
  /** Addresses of a name in the hosts file; empty if the file lacks the name. */
  addresses(name: string): readonly string[];
  /** The full names to query in order, by resolv.conf's `search` and `ndots`. */
  candidates(name: string): readonly string[];
}

/** This machine's loopback addresses, whatever its files contain. */
export const loopback: readonly string[] = ['::1', '127.0.0.1'];

/** Whether this is a name of this machine (RFC 6761 section 6.3). */
export function isLocalhost(name: string): boolean {
  return /(^|\.)localhost\.?$/.test(name);
}

/** Reads a hosts file's lines (hosts(5)) into name → addresses. */
export function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (address === undefined || !isIP(address)) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      found.set(key, [...(found.get(key) ?? []), address]);
    }
  }
  return found;
}

/** Reads the search list and `ndots` of a resolv.conf (resolv.conf(5)). */
export function parseResolvConf(text: string): {
  readonly search: readonly string[];
  readonly ndots: number;
} {
  let search: readonly string[] = [];
  let ndots = 1;
  for (const line of text.split('\n')) {
    const [key, ...values] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/);
    if (key === 'search' || key === 'domain') search = values.slice(0, 6);
    if (key === 'options') {
      const option = values.find((value) => value.startsWith('ndots:'));
      if (option) ndots = Math.min(Number(option.slice(6)) || 0, 15);
    }
  }
  return { search, ndots };
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    const text = `this agent cannot read ${path}: ${messageOf(error)}`;
    throw new Failure(resultCode.agent, text, { cause: error });
  }
}

/**
 * Caches the hosts file and resolv.conf for 5 s. Localhost never goes on the wire (RFC 6761). A missing file counts as
 * empty. `current` throws Failure 10 for a file that exists but cannot be read.
 */
export function createResolverFiles(deps: {
  readonly monoMs: () => number;
  readonly hostsPath?: string;
  readonly resolvPath?: string;
}): { current(): Promise<ResolverFiles> } {
  const { monoMs, hostsPath = '/etc/hosts', resolvPath = '/etc/resolv.conf' } = deps;
  const load = async (): Promise<ResolverFiles> => {
    const [hostsText, resolvText] = await Promise.all([hostsPath, resolvPath].map(readIfThere));
    const hosts = parseHosts(hostsText ?? '');
    const { search, ndots } = parseResolvConf(resolvText ?? '');
    return {
      addresses(name) {
        const known = hosts.get(name.replace(/\.$/, ''));
        if (known) return known;
        return isLocalhost(name) ? loopback : [];
      },
      candidates(name) {
        if (name.endsWith('.')) return [name.slice(0, -1)];
        const dots = name.split('.').length - 1;
        const longer = search.map((suffix) => `${name}.${suffix}`);
        return dots >= ndots ? [name] : [...longer, name];
      },
    };
  };
  let cached: Promise<ResolverFiles> | undefined;
  let readMs = 0;
  return {
    current() {
      if (cached === undefined || monoMs() - readMs > 5000) {
        readMs = monoMs();
        cached = load();
      }
      return cached;
    },
  };
}
