import { isIP } from 'node:net';

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  /** Whether only the host itself gets it; else its subdomains too. */
  readonly hostOnly: boolean;
  readonly path: string;
  readonly secure: boolean;
}

const maxCookies = 50;
const maxCookieBytes = 4096;
/** The part of the cookies that one request sends. */
const maxHeaderBytes = 16 * 1024;
/** A shorter value may be an ordinary word. */
const minSecret = 8;

/**
 * The cookies of one check (RFC 6265), from one of its requests to the next. Expiry does not matter within a check,
 * except that a cookie that has expired is removed. There is no list of public suffixes: a domain must have a dot.
 */
export class CookieJar {
  private readonly cookies = new Map<string, Cookie>();
  private readonly redact: (value: string) => void;

  /** `redact` gets the values, because they are credentials. */
  constructor(redact: (value: string) => void) {
    this.redact = redact;
  }

  /** Takes the cookies of an answer from `url`. Cookies that `url` may not set are ignored. */
  take(url: URL, headers: readonly string[]): void {
    for (const header of headers.slice(0, maxCookies)) {
      const parsed = header.length > maxCookieBytes ? undefined : readCookie(url, header);
      if (parsed === undefined) continue;
      const { cookie, hasExpired } = parsed;
      const key = JSON.stringify([cookie.domain, cookie.path, cookie.name]);
      this.cookies.delete(key);
      if (hasExpired || this.cookies.size >= maxCookies) continue;
      this.cookies.set(key, cookie);
      if (cookie.value.length >= minSecret) this.redact(cookie.value);
    }
  }

  /** The value of the Cookie header for a request; undefined: there are none. Longer paths come first. */
  header(url: URL): string | undefined {
    const fitting = [...this.cookies.values()].filter((cookie) => isFor(cookie, url));
    const sorted = fitting.toSorted((a, b) => b.path.length - a.path.length);
    const pairs: string[] = [];
    let size = 0;
    for (const { name, value } of sorted) {
      size += name.length + value.length + 3;
      if (size > maxHeaderBytes) break;
      pairs.push(`${name}=${value}`);
    }
    return pairs.length === 0 ? undefined : pairs.join('; ');
  }

  /** The value of the cookie that was set last with this name. */
  valueOf(name: string): string | undefined {
    return [...this.cookies.values()].findLast((cookie) => cookie.name === name)?.value;
  }
}

function readCookie(
  url: URL,
  header: string,
): { readonly cookie: Cookie; readonly hasExpired: boolean } | undefined {
  const [pair = '', ...attributes] = header.split(';');
  const at = pair.indexOf('=');
  const name = pair.slice(0, Math.max(at, 0)).trim();
  const value = pair.slice(at + 1).trim();
  if (at < 0 || name === '' || /\p{Cc}/u.test(name + value)) return undefined;
  const set = new Map(attributes.map(readAttribute));
  const host = url.hostname.toLowerCase();
  const domain = (set.get('domain') ?? '').toLowerCase().replace(/^\./, '');
  const hostOnly = domain === '' || domain === host;
  if (!hostOnly && !isParent(domain, host)) return undefined;
  const path = set.get('path') ?? '';
  const maxAge = Number(set.get('max-age') ?? Number.NaN);
  const expiresMs = Date.parse(set.get('expires') ?? '');
  return {
    cookie: {
      name,
      value,
      domain: hostOnly ? host : domain,
      hostOnly: domain === '',
      path: path.startsWith('/') ? path : defaultPath(url.pathname),
      secure: set.has('secure'),
    },
    // A date in the past removes a cookie; the check is too short for any other date.
    hasExpired: maxAge <= 0 || (Number.isNaN(maxAge) && expiresMs <= removalMs),
  };
}

/** Servers remove a cookie by a date long past, usually 1970. */
const removalMs = Date.UTC(2020, 0);

function readAttribute(text: string): readonly [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 0) return [text.trim().toLowerCase(), ''];
  return [text.slice(0, at).trim().toLowerCase(), text.slice(at + 1).trim()];
}

/** Whether a cookie for `domain` may be set by `host`. */
function isParent(domain: string, host: string): boolean {
  return domain.includes('.') && isIP(host.replace(/^\[|\]$/g, '')) === 0 && host.endsWith(`.${domain}`);
}

function isFor({ domain, hostOnly, path, secure }: Cookie, url: URL): boolean {
  const host = url.hostname.toLowerCase();
  if (host !== domain && (hostOnly || !isParent(domain, host))) return false;
  if (secure && url.protocol !== 'https:') return false;
  const { pathname } = url;
  return (
    pathname === path || (pathname.startsWith(path) && (path.endsWith('/') || pathname[path.length] === '/'))
  );
}

/** RFC 6265 section 5.1.4. */
function defaultPath(pathname: string): string {
  const end = pathname.lastIndexOf('/');
  return end <= 0 ? '/' : pathname.slice(0, end);
}
