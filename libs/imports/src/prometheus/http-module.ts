import type { FoundOptions, TargetOrReason } from '../found-check.ts';
import {
  listOf,
  orAbsent,
  recordOf,
  textOf,
  textsOf,
  truthOf,
  type UnknownRecord,
} from '../values/unknown-values.ts';
import { ipFamily, tlsOptions } from './module-settings.ts';

/** Settings of the http prober that become Options, or that do not change the result of a check. */
const supportedSettings = new Set([
  'valid_status_codes',
  'method',
  'headers',
  'body',
  'follow_redirects',
  'basic_auth',
  'authorization',
  'bearer_token',
  'fail_if_body_not_matches_regexp',
  'fail_if_header_not_matches',
  'tls_config',
  'proxy_url',
  'no_follow_redirects',
  'preferred_ip_protocol',
  'ip_protocol_fallback',
  'valid_http_versions',
  'enable_http2',
  'compression',
  'http_headers',
  'fail_if_not_ssl',
]);

/** Maps a target of the http prober. */
export function httpModuleTarget(
  settings: UnknownRecord,
  target: string,
  hostHeader: string | undefined,
): TargetOrReason {
  if (settings['oauth2'] !== undefined) return 'signs in by OAuth2, which no Method does; a Script can';
  if (truthOf(settings['enable_http3'])) return 'uses HTTP/3, which HTTP does not do here';
  if (truthOf(settings['fail_if_ssl'])) return 'is good without TLS only; no Option says so';
  const url = /^https?:\/\//i.test(target) ? target : `http://${target}`;
  if (truthOf(settings['fail_if_not_ssl']) && /^http:/i.test(url))
    return 'must end at TLS, but its address begins with http://';
  const lost = Object.keys(settings)
    .filter((name) => !supportedSettings.has(name))
    .map((name) => `http.${name} of its module`);
  const [pattern, ...otherPatterns] = textsOf(settings['fail_if_body_not_matches_regexp']);
  lost.push(...otherPatterns.map((text) => `the body's further pattern ${JSON.stringify(text)}`));
  const statuses = textsOf(settings['valid_status_codes']);
  const login = recordOf(settings['basic_auth']);
  const method = textOf(settings['method']);
  const followsRedirects =
    truthOf(settings['follow_redirects']) ?? !(truthOf(settings['no_follow_redirects']) ?? false);
  const options: FoundOptions = {
    Method: method === 'GET' ? undefined : method,
    Headers: orAbsent(headersOf(settings, hostHeader, lost)),
    Body: textOf(settings['body']),
    User: textOf(login?.['username']),
    Password: textOf(login?.['password']),
    MaxRedirects: followsRedirects ? undefined : 0,
    Proxy: textOf(settings['proxy_url']),
    IPFamily: ipFamily(settings),
    // The exporter's default.
    ExpectStatus: statuses.length === 0 ? ['200-299'] : statuses,
    ExpectRegex: pattern,
    ExpectHeaders: expectedHeaders(settings, lost),
    TLS: tlsOptions(settings, lost),
  };
  return { method: 'HTTP', url, options, lost };
}

function headersOf(
  settings: UnknownRecord,
  hostHeader: string | undefined,
  lost: string[],
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (hostHeader !== undefined) headers['Host'] = hostHeader;
  for (const [name, value] of Object.entries(recordOf(settings['headers']) ?? {}))
    headers[name] = textOf(value) ?? '';
  for (const [name, value] of Object.entries(recordOf(settings['http_headers']) ?? {})) {
    const sources = recordOf(value) ?? {};
    const text = [...textsOf(sources['values']), ...textsOf(sources['secrets'])].at(-1);
    if (text === undefined) lost.push(`the header ${name}, whose value is in a file`);
    else headers[name] = text;
  }
  const authorization = recordOf(settings['authorization']);
  const credentials = textOf(authorization?.['credentials']) ?? textOf(settings['bearer_token']);
  if (credentials !== undefined)
    headers['Authorization'] = `${textOf(authorization?.['type']) ?? 'Bearer'} ${credentials}`;
  else if (authorization !== undefined) lost.push('its authorization, which is in a file');
  return headers;
}

/** Headers that must match a plain text. Other patterns have no counterpart. */
function expectedHeaders(settings: UnknownRecord, lost: string[]): Record<string, string> | undefined {
  const expected: Record<string, string> = {};
  for (const match of listOf(settings['fail_if_header_not_matches'])) {
    const name = textOf(recordOf(match)?.['header']);
    const pattern = textOf(recordOf(match)?.['regexp']) ?? '';
    const plain = pattern === '.*' ? '' : pattern;
    if (name !== undefined && /^[\w\s/=;,:-]*$/.test(plain)) expected[name] = plain;
    else lost.push(`the header ${name} by the pattern ${JSON.stringify(pattern)}`);
  }
  return orAbsent(expected);
}
