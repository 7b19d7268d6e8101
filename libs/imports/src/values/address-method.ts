import { type Method, methodsByPort, methodsByScheme } from '@vantage/domain';
import { authorityOf } from './host-port.ts';

/** Names of other tools for our Methods, in lower case, only letters and digits. */
const methodsByWord: Readonly<Record<string, Method>> = {
  ...methodsByScheme,
  httpget: 'HTTP',
  web: 'HTTP',
  website: 'HTTP',
  webpage: 'HTTP',
  url: 'HTTP',
  keyword: 'HTTP',
  icmpping: 'PING',
  host: 'PING',
  mail: 'SMTP',
  pop: 'POP3',
  mariadb: 'MySQL',
  pgsql: 'PostgreSQL',
  imap4: 'IMAP4',
  sftp: 'SSH',
  news: 'NNTP',
  port: 'TCP',
  tcpport: 'TCP',
  socket: 'TCP',
  tls: 'TCP',
  ssl: 'TCP',
  script: 'Script',
};

/** The Method of another tool's name, such as `icmpping`; undefined where none is known. */
export function methodOfWord(word: string): Method | undefined {
  const plain = word.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return Object.hasOwn(methodsByWord, plain) ? methodsByWord[plain] : undefined;
}

/** Guesses the Method by scheme, port or path of an address. A bare host is pinged. */
export function guessMethod(address: string, portColumn: number | undefined): Method {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1];
  const byScheme = scheme === undefined ? undefined : methodOfWord(scheme);
  if (byScheme !== undefined) return byScheme;
  const port = portColumn ?? portIn(address);
  if (port !== undefined) return methodsByPort[port] ?? 'TCP';
  return /^[^/\s]+\/[^\s]*$/.test(address) ? 'HTTP' : 'PING';
}

/** The URL of a Method for an address and a separate port. A web address without a scheme gets one. */
export function urlFor(method: Method, address: string, port: number | undefined): string {
  if (method === 'Script') return address;
  if (method === 'HTTP') return webAddress(address, port);
  if (method === 'DNS') return address;
  const bare = method === 'PING' ? hostOnly(address) : withoutWebScheme(address);
  if (port === undefined || method === 'PING' || portIn(bare) !== undefined) return bare;
  return isBareV6(bare) ? `[${bare}]:${port}` : `${bare.replace(/\/+$/, '')}:${port}`;
}

function webAddress(address: string, port: number | undefined): string {
  const url = isWebAddress(address) ? address : withAssumedScheme(address, port ?? portIn(address));
  if (port === undefined || !URL.canParse(url)) return url;
  const parsed = new URL(url);
  const standardPort = parsed.protocol === 'https:' ? 443 : 80;
  if (parsed.port !== '' || port === standardPort) return url;
  return url.replace(/^(https?:\/\/[^/?#]+)/i, `$1:${port}`);
}

function withAssumedScheme(address: string, port: number | undefined): string {
  const isSecure = port === undefined || port === 443 || port === 8443;
  return `${isSecure ? 'https' : 'http'}://${isBareV6(address) ? `[${address}]` : address}`;
}

function isWebAddress(address: string): boolean {
  return /^https?:\/\//i.test(address);
}

function hostOnly(address: string): string {
  const authority = authorityOf(address);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (isBareV6(host)) return host;
  return /^(\[[^\]]*\]|[^:]*):\d+$/.exec(host)?.[1] ?? host;
}

function withoutWebScheme(address: string): string {
  return isWebAddress(address) ? authorityOf(address) : address;
}

function portIn(address: string): number | undefined {
  const authority = authorityOf(address);
  if (isBareV6(authority)) return undefined;
  const digits = /:(\d{1,5})$/.exec(authority)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function isBareV6(text: string): boolean {
  return /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text);
}
