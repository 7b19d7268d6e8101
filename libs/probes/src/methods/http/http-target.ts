import { maskQuerySecrets } from '@vantage/domain';
import { Secret } from '@vantage/kernel';
import type { Target, TargetResult } from '../../contract/probe.ts';
import { parseHost } from '../../contract/target.ts';

const accepts =
  'http://host/path or https://user:password@host:port/path, for example https://www.example.org/';
const schemes = 'must begin with http:// or https://, for example https://www.example.org/';

/** Reads an HTTP device's URL. The fragment is not sent. */
export function parseHttpTarget(url: string): TargetResult {
  const refuse = (why: string): TargetResult => ({ ok: false, message: `${why}; accepted is ${accepts}` });
  if (url.length > 2048) return refuse('it is longer than 2048 characters');
  if (/[\p{Cc}\s]/u.test(url)) return refuse('it holds a blank or a control character');
  if (!/^https?:\/\/[^/]/i.test(url)) return { ok: false, message: schemes };
  if (!URL.canParse(url)) return refuse('it cannot be read');
  const parsed = new URL(url);
  const host = parseHost(parsed.hostname);
  if (typeof host === 'string') return refuse(host);
  if (parsed.port === '0') return refuse('port "0" is not 1 to 65535');
  const scheme = parsed.protocol.slice(0, -1);
  const login = readLogin(parsed);
  if (login === undefined) return refuse('user name or password are not percent-encoded correctly');
  return {
    ok: true,
    target: {
      display: showUrl(parsed, url),
      host: host.host,
      port: parsed.port === '' ? standardPort(scheme) : Number(parsed.port),
      scheme,
      user: login.user,
      password: login.password,
      path: parsed.pathname + parsed.search,
      url,
    },
  };
}

/** The URL of a device as it is sent: without its login and its fragment. */
export function sentUrl({ url: text }: Pick<Target, 'url'>): URL {
  const url = new URL(text);
  url.username = '';
  url.password = '';
  url.hash = '';
  return url;
}

/** A URL with `***` for its password and the credentials in its query. */
export function showUrl(parsed: URL, original = parsed.href): string {
  if (parsed.password === '') return maskQuerySecrets(original);
  const shown = new URL(parsed.href);
  shown.password = '***';
  return maskQuerySecrets(shown.href);
}

export function standardPort(scheme: string): number {
  return scheme === 'https' ? 443 : 80;
}

/** The decoded login in a URL; undefined if its percent-encoding is wrong. */
export function readLogin(
  parsed: URL,
): { readonly user: string | undefined; readonly password: Secret | undefined } | undefined {
  try {
    const user = decodeURIComponent(parsed.username);
    const password = decodeURIComponent(parsed.password);
    return {
      user: user === '' ? undefined : user,
      password: password === '' ? undefined : new Secret(password),
    };
  } catch {
    return undefined;
  }
}
