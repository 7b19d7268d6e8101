import type { Json, Method } from '@vantage/domain';
import type { StepRequest } from '../../contract/probe.ts';

/** The functions of a script that look at something, and the methods that they stand for. */
export const checkFunctions: Readonly<Record<string, Method>> = {
  http: 'HTTP',
  tcp: 'TCP',
  tls: 'TCP',
  dns: 'DNS',
  ping: 'PING',
  smtp: 'SMTP',
  pop3: 'POP3',
  imap: 'IMAP4',
  ftp: 'FTP',
  telnet: 'TELNET',
  nntp: 'NNTP',
  ssh: 'SSH',
  mysql: 'MySQL',
};

/** The argument of a script's function. */
export type CallOptions = Readonly<Record<string, Json>>;

const longestTimeoutMs = 120_000;
/** Names that belong to a call itself; all others are Options of the method. */
const ownNames = ['url', 'host', 'port', 'timeout', 'message'];
/** Functions whose target is not a host and a port. */
const withoutHostAndPort: Readonly<Record<string, string>> = { http: 'url', dns: 'name' };
const tlsNames = ['verify', 'ca', 'clientcert', 'clientkey', 'servername', 'mindaysleft'];

/**
 * What a script's call asks for: `tcp({ host: 'db', port: 5432, slowMs: 50 })` as the method's URL and Options, or what is wrong with
 * it. Names are those of the REST Options with a small first letter; letter case does not count.
 */
export function readCall(name: string, given: CallOptions): StepRequest | string {
  const method = Object.hasOwn(checkFunctions, name) ? checkFunctions[name] : undefined;
  if (method === undefined) return `${name}() is not known to this agent`;
  const { timeout, message } = given;
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0 && timeout <= longestTimeoutMs)) {
    return `${name}(): timeout is milliseconds up to ${longestTimeoutMs}`;
  }
  if (message !== undefined && (method !== 'SMTP' || typeof message !== 'string')) {
    return `${name}(): message is the text of a mail, for smtp() only`;
  }
  if (message !== undefined && given['rcptTo'] === undefined) return `${name}(): message needs a rcptTo`;
  const options = Object.entries(given).filter(([key]) => !ownNames.includes(key));
  const misplaced = addressProblem(name, given);
  if (misplaced !== undefined) return `${name}(): ${misplaced}`;
  const url = urlOf(name, given);
  if (url === undefined) return `${name}(): ${withoutHostAndPort[name] ?? 'host'} is missing`;
  return {
    method,
    url,
    options: Object.fromEntries(prepared(name, options)),
    ...(typeof timeout === 'number' && { timeoutMs: timeout }),
    ...(typeof message === 'string' && { message }),
  };
}

/** What is wrong with where a call is to go; nothing of it is passed over in silence. */
function addressProblem(name: string, { url, host, port, name: asked }: CallOptions): string | undefined {
  const own = withoutHostAndPort[name];
  if (own !== undefined && (host !== undefined || port !== undefined))
    return `it takes ${own}, not host and port`;
  if (url !== undefined && typeof url !== 'string') return 'url must be a text';
  if (host !== undefined && typeof host !== 'string') return 'host must be a text';
  if (name === 'dns' && asked !== undefined && typeof asked !== 'string') return 'name must be a text';
  if (
    url !== undefined &&
    (host !== undefined || port !== undefined || (name === 'dns' && asked !== undefined))
  )
    return `it takes url or ${own ?? 'host and port'}, not both`;
  const isPort = typeof port === 'number' && Number.isInteger(port) && port >= 1 && port <= 65_535;
  return port === undefined || isPort ? undefined : 'port must be a number from 1 to 65535';
}

function urlOf(name: string, { url, host, port, name: asked }: CallOptions): string | undefined {
  if (typeof url === 'string') return url;
  if (name === 'dns' && typeof asked === 'string') return asked;
  if (typeof host !== 'string' || name === 'http') return undefined;
  const shown = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return typeof port === 'number' ? `${shown}:${port}` : shown;
}

/** What reads better in a script than in a device's settings: an object as JSON body, tls() with the TLS settings themselves. */
function prepared(
  name: string,
  options: readonly (readonly [string, Json])[],
): readonly (readonly [string, Json])[] {
  switch (name) {
    case 'dns':
      return options.filter(([key]) => key !== 'name');
    case 'tls': {
      const own = options.filter(([key]) => tlsNames.includes(key.toLowerCase()));
      const rest = options.filter(([key]) => !tlsNames.includes(key.toLowerCase()));
      return [...rest, ['tls', { Mode: 'Implicit', ...Object.fromEntries(own) }]];
    }
    case 'http': {
      const body = options.find(([key]) => key === 'body')?.[1];
      if (typeof body !== 'object' || body === null) return options;
      const headers = options.find(([key]) => key === 'headers')?.[1];
      const given = isRecord(headers) ? headers : {};
      const typed = Object.keys(given).some((key) => key.toLowerCase() === 'content-type');
      return [
        ...options.filter(([key]) => key !== 'body' && key !== 'headers'),
        ['body', JSON.stringify(body)],
        ['headers', typed ? given : { ...given, 'Content-Type': 'application/json' }],
      ];
    }
    default:
      return options;
  }
}

function isRecord(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !isList(value);
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
