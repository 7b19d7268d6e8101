import type { Json } from '@vantage/domain';
import { parseJson } from '@vantage/kernel';
import type { FoundOptions, TargetOrReason } from '../found-check.ts';
import { orAbsent, recordOf, textsOf } from '../values/unknown-values.ts';
import type { KumaMonitor, KumaProxy } from './kuma-monitor.ts';

const contentTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  xml: 'text/xml; charset=utf-8',
};

/** Maps monitors of web servers; undefined for other types. */
export function httpMonitorTarget(monitor: KumaMonitor): TargetOrReason | undefined {
  const usesBrowser = monitor.type === 'real-browser';
  if (!usesBrowser && !['http', 'keyword', 'json-query'].includes(monitor.type)) return undefined;
  const url = monitor.text('url');
  if (url === undefined) return 'has no URL';
  const lost = [
    ...(usesBrowser ? ['the page is requested, but no browser runs its scripts'] : []),
    ...(monitor.truth('cache_bust') ? ['a random parameter against caches'] : []),
  ];
  const request = requestOptions(monitor, lost);
  if (typeof request === 'string') return request;
  const expected = expectOptions(monitor);
  if (typeof expected === 'string') return expected;
  return { method: 'HTTP', url, options: { ...request, ...expected }, lost };
}

function requestOptions(monitor: KumaMonitor, lost: string[]): FoundOptions | string {
  const proxy = proxyUrl(monitor.proxy);
  if (proxy === null)
    return `goes through a proxy of the kind ${monitor.proxy?.protocol}; Options.Proxy accepts http and https`;
  const body = monitor.text('body');
  const encoding = monitor.text('http_body_encoding') ?? 'json';
  const headers: Record<string, Json> =
    body === undefined ? {} : { 'Content-Type': contentTypes[encoding] ?? 'text/plain' };
  const headersText = monitor.text('headers');
  if (headersText !== undefined) {
    const ownHeaders = headersOf(headersText);
    if (ownHeaders === undefined) lost.push('its headers, which are not a JSON object');
    Object.assign(headers, ownHeaders);
  }
  const login = loginOptions(monitor);
  if (typeof login === 'string') return login;
  const method = (monitor.text('method') ?? 'GET').toUpperCase();
  const redirects = monitor.number('maxredirects');
  const family = monitor.text('ip_family');
  return {
    Method: method === 'GET' ? undefined : method,
    Headers: orAbsent(headers),
    Body: body,
    Proxy: proxy,
    ...login,
    MaxRedirects: redirects === undefined || redirects === 10 ? undefined : redirects,
    IPFamily: family === 'ipv4' ? '4' : family === 'ipv6' ? '6' : undefined,
    TLS: tlsOptions(monitor),
  };
}

function headersOf(text: string): Record<string, string> | undefined {
  const headers = recordOf(parseJson(text));
  return headers && Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** User and password, or a bearer token. */
function loginOptions(monitor: KumaMonitor): FoundOptions | string {
  const kind = monitor.text('auth_method');
  if (kind === 'ntlm') return 'signs in by NTLM, which HTTP does not do here';
  if (kind === 'oauth2-cc')
    return 'signs in by OAuth2 (client credentials), which HTTP does not do here; a Script can';
  if (kind === 'bearer') {
    const token = monitor.text('bearer_token');
    return token === undefined ? {} : { Auth: 'Bearer', Token: token };
  }
  if (kind !== undefined && kind !== 'basic') return {};
  return { User: monitor.text('basic_auth_user'), Password: monitor.text('basic_auth_pass') };
}

function tlsOptions(monitor: KumaMonitor): { readonly [key: string]: Json } | undefined {
  const isMutual = monitor.text('auth_method') === 'mtls';
  const settings = {
    Verify: monitor.truth('ignore_tls') ? false : undefined,
    CA: isMutual ? monitor.text('tls_ca') : undefined,
    ClientCert: isMutual ? monitor.text('tls_cert') : undefined,
    ClientKey: isMutual ? monitor.text('tls_key') : undefined,
  };
  const tls: Record<string, Json> = {};
  for (const [name, value] of Object.entries(settings)) if (value !== undefined) tls[name] = value;
  return orAbsent(tls);
}

/** The proxy for Options.Proxy; undefined: none; null: of a kind that Options.Proxy does not accept. */
function proxyUrl(proxy: KumaProxy | undefined): string | null | undefined {
  if (proxy === undefined) return undefined;
  if (!['http', 'https'].includes(proxy.protocol)) return null;
  const login =
    proxy.user === undefined
      ? ''
      : `${encodeURIComponent(proxy.user)}:${encodeURIComponent(proxy.password ?? '')}@`;
  return `${proxy.protocol}://${login}${proxy.host}${proxy.port === undefined ? '' : `:${proxy.port}`}`;
}

function expectOptions(monitor: KumaMonitor): FoundOptions | string {
  const statuses = textsOf(monitor.list('accepted_statuscodes_json'));
  const keyword = monitor.type === 'keyword' ? monitor.text('keyword') : undefined;
  const isInverted = monitor.truth('invert_keyword');
  const json = monitor.type === 'json-query' ? jsonExpectation(monitor) : {};
  if (typeof json === 'string') return json;
  return {
    ExpectStatus: statuses.length === 0 ? undefined : statuses,
    ExpectText: isInverted ? undefined : keyword,
    RejectText: isInverted ? keyword : undefined,
    ...json,
  };
}

/** A JSONata expression that is a plain path means the same in JSONPath. Other expressions have no counterpart. */
function jsonExpectation(monitor: KumaMonitor): FoundOptions | string {
  const expression = monitor.text('json_path') ?? '$';
  const operator = monitor.text('json_path_operator') ?? '==';
  const plain = /^(?:\$\.?)?([A-Za-z_][\w]*(?:\[\d+\])*(?:\.[A-Za-z_][\w]*(?:\[\d+\])*)*)?$/.exec(expression);
  if (plain === null)
    return `uses the JSONata expression ${JSON.stringify(expression)}; only a plain path such as a.b[0] can be carried over`;
  if (operator !== '==')
    return `compares its JSON value by ${operator}; Options.ExpectJSONValue compares for equality`;
  const path = plain[1] === undefined ? '$' : `$.${plain[1]}`;
  return { ExpectJSONPath: path, ExpectJSONValue: monitor.text('expected_value') };
}
