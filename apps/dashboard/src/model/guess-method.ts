import { methodsByPort, methodsByScheme } from '@vantage/domain/method-of-address';

/** The guessed Method and URL of a pasted address, and the reason for the guess. */
export interface Guess {
  readonly method: string;
  readonly url: string;
  readonly shortName: string;
  readonly fullName: string;
  readonly reason: 'scheme' | 'port' | 'host' | 'path';
}

/** A person who types port 53 means a name server; a tool that tests the port of one may not. */
const ports: Readonly<Record<string, string>> = { ...methodsByPort, 53: 'DNS' };
/** Schemes that a URL keeps: HTTP needs one, and the one for TLS (`rediss`) says more than the Method. */
const isWithScheme = (scheme: string) =>
  scheme === 'http' || (scheme.endsWith('s') && Object.hasOwn(methodsByScheme, scheme.slice(0, -1)));

/** Guesses the Method of a pasted address; undefined for an empty one. */
export function guessMethod(pasted: string): Guess | undefined {
  const text = pasted.trim();
  if (text === '') return undefined;
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(text) ?? [];
  const known = Object.hasOwn(methodsByScheme, scheme.toLowerCase())
    ? methodsByScheme[scheme.toLowerCase()]
    : undefined;
  if (known !== undefined) {
    const url = isWithScheme(scheme.toLowerCase()) ? text : rest.replace(/\/$/, '');
    return { method: known, url, ...namesOf(rest), reason: 'scheme' };
  }
  const port = /^(?:\[[^\]]+\]|[^:/]+):(\d+)/.exec(text)?.[1];
  const byPort = port === undefined ? undefined : (ports[port] ?? 'TCP');
  if (byPort !== undefined && port !== undefined) {
    const isTls = port === '443' || port === '8443';
    const url = byPort === 'HTTP' ? `${isTls ? 'https' : 'http'}://${text}` : text;
    return { method: byPort, url, ...namesOf(text), reason: 'port' };
  }
  if (text.includes('/')) return { method: 'HTTP', url: `https://${text}`, ...namesOf(text), reason: 'path' };
  return { method: 'PING', url: text, ...namesOf(text), reason: 'host' };
}

/** The host of an address, without user, port and path. */
function hostOf(address: string): string {
  return /^(?:[^@/]*@)?(?:\[([^\]]+)\]|([^:/?#]+))/.exec(address)?.slice(1).find(Boolean) ?? address;
}

function namesOf(address: string): Pick<Guess, 'shortName' | 'fullName'> {
  const host = hostOf(address);
  return { shortName: nameOf(host), fullName: host };
}

/** The maximum length of a ShortName in the API. */
const maxLength = 8;

/** A ShortName for a host: the first label of a name, the end of an IP address. */
function nameOf(host: string): string {
  const isAddress = /^[\d.]+$|:/.test(host);
  if (isAddress) return endOf(host.split(/[^0-9a-z]+/i));
  const label = host.replace(/^www\./i, '').split('.')[0] ?? host;
  return label
    .replaceAll(/[^0-9a-z]+/gi, '-')
    .slice(0, maxLength)
    .replaceAll(/^-+|-+$/g, '');
}

/** The last parts of an address that fit, unabridged: a part that is cut would look like another address. */
function endOf(parts: readonly string[]): string {
  let end = '';
  for (const part of parts.filter((each) => each !== '').toReversed()) {
    const longer = end === '' ? part : `${part}-${end}`;
    if (longer.length > maxLength) break;
    end = longer;
  }
  return end;
}
