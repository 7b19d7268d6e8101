import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { Secret } from '@vantage/kernel';
import type { TargetResult } from './probe.ts';

/** The URLs that a method accepts. */
export interface TargetRules {
  /** Schemes and their default ports. 0: a port is required. undefined: a port is not allowed (PING). */
  readonly schemes: Readonly<Record<string, number | undefined>>;
  /** The scheme of a bare `host` or `host:port`. */
  readonly scheme: string;
  /** Whether a path may follow. Default: false. */
  readonly path?: boolean;
  /** Whether `user:password@` may precede the host. Default: false. */
  readonly credentials?: boolean;
  /** The accepted form, for the message: `host, host:port, [v6]:port or smtp://host:port`. */
  readonly accepts: string;
}

const maxLength = 2048;
const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** The message of a rejected target after the name of its field: `is not accepted: …`, or `must …`. */
export function refusedTargetText(message: string): string {
  return message.startsWith('must ') ? message : `is not accepted: ${message}`;
}

/**
 * Reads `host`, `host:port`, `[v6]:port` or `scheme://user:password@host:port/path`. Pure. The message names the fault
 * and the accepted forms. A host never begins with `-`, has no space or control character, and is never an unusual
 * spelling of an IPv4 address (`127.1`, `0177.0.0.1`).
 */
export function parseTarget(url: string, rules: TargetRules): TargetResult {
  const refuse = (why: string): TargetResult => ({
    ok: false,
    message: `${why}; accepted is ${rules.accepts}`,
  });
  if (url === '') return refuse('it is empty');
  if (url.length > maxLength) return refuse(`it is longer than ${maxLength} characters`);
  if (/[\p{Cc}\s]/u.test(url)) return refuse('it holds a blank or a control character');

  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase() ?? rules.scheme;
  const rest = url.includes('://') ? url.slice(url.indexOf('://') + 3) : url;
  if (!Object.hasOwn(rules.schemes, scheme)) return refuse(`scheme ${scheme}:// is not known here`);
  const defaultPort = rules.schemes[scheme];

  const slash = rest.search(/[/?#]/);
  const authority = slash < 0 ? rest : rest.slice(0, slash);
  const path = slash < 0 ? '' : rest.slice(slash);
  if (path !== '' && path !== '/' && !rules.path) return refuse(`nothing may follow host and port`);

  const at = authority.lastIndexOf('@');
  const login = at < 0 ? undefined : readLogin(authority.slice(0, at));
  if (at >= 0 && !rules.credentials) return refuse('no user name or password may stand in this URL');
  if (at >= 0 && login === undefined)
    return refuse('user name or password are not percent-encoded correctly');

  const endpoint = readEndpoint(authority.slice(at + 1));
  if (typeof endpoint === 'string') return refuse(endpoint);
  if (endpoint.port !== undefined && defaultPort === undefined) return refuse('no port may be given');
  const port = endpoint.port ?? defaultPort ?? 0;
  if (port === 0 && defaultPort === 0) return refuse('a port is missing');

  const head = url.includes('://') ? url.slice(0, url.indexOf('://') + 3) : '';
  const who = login ? `${login.shownUser}${login.password === undefined ? '' : ':***'}@` : '';
  return {
    ok: true,
    target: {
      display: `${head}${who}${rest.slice(at + 1)}`,
      host: endpoint.host,
      port,
      scheme,
      user: login?.user,
      password: login?.password === undefined ? undefined : new Secret(login.password),
      path,
      url,
    },
  };
}

/** The host in its normal form (lower case, IDN as ASCII), or its fault. */
export function parseHost(text: string): { readonly host: string } | string {
  const host = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (host === '') return 'host is missing';
  if (host.startsWith('-')) return "a host never begins with '-'";
  if (isIP(host)) return { host: host.toLowerCase() };
  const ascii = (/^[\x21-\x7e]+$/.test(host) ? host : domainToASCII(host)).toLowerCase();
  const labels = ascii.replace(/\.$/, '').split('.');
  if (ascii.length > 253 || !labels.every((part) => label.test(part)))
    return `${quote(host)} is no host name`;
  if (/^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')) return `${quote(host)} is no complete IPv4 address`;
  return { host: ascii };
}

function readEndpoint(text: string): { host: string; port: number | undefined } | string {
  const bare = isIP(text) === 6;
  const parts = /^(\[[^\]]*\]|[^:]*)(?::([^:]*))?$/.exec(text);
  if (!bare && !parts)
    return `${quote(text)} is no host (write an IPv6 address with a port as [address]:port)`;
  const host = parseHost(bare ? text : (parts?.[1] ?? ''));
  if (typeof host === 'string') return host;
  const digits = bare ? undefined : parts?.[2];
  if (digits === undefined) return { host: host.host, port: undefined };
  const port = /^\d{1,5}$/.test(digits) ? Number(digits) : 0;
  return port >= 1 && port <= 65535 ? { host: host.host, port } : `port ${quote(digits)} is not 1 to 65535`;
}

function readLogin(
  text: string,
): { user: string; shownUser: string; password: string | undefined } | undefined {
  const colon = text.indexOf(':');
  const shownUser = colon < 0 ? text : text.slice(0, colon);
  try {
    const password = colon < 0 ? undefined : decodeURIComponent(text.slice(colon + 1));
    return { user: decodeURIComponent(shownUser), shownUser, password };
  } catch {
    return undefined;
  }
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
