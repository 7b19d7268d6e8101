import type { Method } from '@vantage/domain';

/** Words of other tools for our Methods, in lower case without blanks and signs. */
const words: Readonly<Record<string, Method>> = {
  http: 'HTTP',
  https: 'HTTP',
  httpget: 'HTTP',
  web: 'HTTP',
  website: 'HTTP',
  webpage: 'HTTP',
  url: 'HTTP',
  keyword: 'HTTP',
  ping: 'PING',
  icmp: 'PING',
  icmpping: 'PING',
  host: 'PING',
  smtp: 'SMTP',
  smtps: 'SMTP',
  mail: 'SMTP',
  pop: 'POP3',
  pop3: 'POP3',
  pop3s: 'POP3',
  mysql: 'MySQL',
  mariadb: 'MySQL',
  imap: 'IMAP4',
  imap4: 'IMAP4',
  imaps: 'IMAP4',
  ftp: 'FTP',
  ftps: 'FTP',
  telnet: 'TELNET',
  ssh: 'SSH',
  sftp: 'SSH',
  nntp: 'NNTP',
  nntps: 'NNTP',
  news: 'NNTP',
  tcp: 'TCP',
  port: 'TCP',
  tcpport: 'TCP',
  socket: 'TCP',
  tls: 'TCP',
  ssl: 'TCP',
  dns: 'DNS',
  script: 'Script',
};

const ports: Readonly<Record<number, Method>> = {
  21: 'FTP',
  22: 'SSH',
  23: 'TELNET',
  25: 'SMTP',
  80: 'HTTP',
  110: 'POP3',
  119: 'NNTP',
  143: 'IMAP4',
  443: 'HTTP',
  465: 'SMTP',
  563: 'NNTP',
  587: 'SMTP',
  993: 'IMAP4',
  995: 'POP3',
  3306: 'MySQL',
  8080: 'HTTP',
  8443: 'HTTP',
};

/** The Method that a word means; undefined for one that means none. */
export function methodOfWord(word: string): Method | undefined {
  const plain = word.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return Object.hasOwn(words, plain) ? words[plain] : undefined;
}

/** The Method that an address asks for by its scheme, its path or its port; a bare host is pinged. */
export function guessMethod(address: string, port: number | undefined): Method {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1];
  const named = scheme === undefined ? undefined : methodOfWord(scheme);
  if (named !== undefined) return named;
  const standing = port ?? portIn(address);
  if (standing !== undefined) return ports[standing] ?? 'TCP';
  return /^[^/\s]+\/[^\s]*$/.test(address) ? 'HTTP' : 'PING';
}

/**
 * The URL of a Method for an address and a port of their own columns; the scheme of a web address is assumed where it
 * is missing.
 */
export function urlFor(method: Method, address: string, port: number | undefined): string {
  if (method === 'Script') return address;
  if (method === 'HTTP') return webAddress(address, port);
  if (method === 'DNS') return address;
  const bare = method === 'PING' ? hostOnly(address) : withoutWebScheme(address);
  if (port === undefined || method === 'PING' || portIn(bare) !== undefined) return bare;
  return isBareV6(bare) ? `[${bare}]:${port}` : `${bare.replace(/\/+$/, '')}:${port}`;
}

function webAddress(address: string, port: number | undefined): string {
  const has = /^https?:\/\//i.test(address);
  const standing = port ?? portIn(address);
  const secure = standing === undefined || standing === 443 || standing === 8443;
  const url = has
    ? address
    : `${secure ? 'https' : 'http'}://${isBareV6(address) ? `[${address}]` : address}`;
  if (port === undefined || !URL.canParse(url)) return url;
  const parsed = new URL(url);
  const standard = parsed.protocol === 'https:' ? 443 : 80;
  if (parsed.port !== '' || port === standard) return url;
  return url.replace(/^(https?:\/\/[^/?#]+)/i, `$1:${port}`);
}

function hostOnly(address: string): string {
  const bare = address.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').replace(/[/?#].*$/s, '');
  const place = bare.slice(bare.lastIndexOf('@') + 1);
  if (isBareV6(place)) return place;
  return /^(\[[^\]]*\]|[^:]*):\d+$/.exec(place)?.[1] ?? place;
}

function withoutWebScheme(address: string): string {
  return /^https?:\/\//i.test(address) ? hostWithPort(address) : address;
}

function hostWithPort(address: string): string {
  return address.replace(/^https?:\/\//i, '').replace(/[/?#].*$/s, '');
}

function portIn(address: string): number | undefined {
  const place = address.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').replace(/[/?#].*$/s, '');
  if (isBareV6(place)) return undefined;
  const digits = /:(\d{1,5})$/.exec(place)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function isBareV6(text: string): boolean {
  return /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text);
}
