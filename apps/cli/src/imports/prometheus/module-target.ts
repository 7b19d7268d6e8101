import type { Json } from '@vantage/domain';
import type { FoundOptions, FoundTarget } from '../found.ts';
import { guessMethod, urlFor } from '../guess-method.ts';
import { listOf, numberOf, recordOf, textOf, truthOf } from '../values.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Method, URL and Options of a target that a module of the blackbox_exporter probes. */
export function moduleTarget(module: Fields, target: string, hostHeader?: string): FoundTarget {
  const prober = textOf(module['prober']) ?? '';
  const part = recordOf(module[prober]) ?? {};
  switch (prober) {
    case 'http':
      return httpTarget(part, target, hostHeader);
    case 'icmp':
      return icmpTarget(part, target);
    case 'tcp':
      return tcpTarget(part, target);
    case 'dns':
      return dnsTarget(part, target);
    case 'grpc':
      return {
        method: 'TCP',
        url: `${truthOf(part['tls']) ? 'tls' : 'tcp'}://${withoutScheme(target)}`,
        lost: ['only its port is checked: no gRPC method is called'],
      };
    default:
      return `is probed by ${JSON.stringify(prober)}, for which there is no Method`;
  }
}

function withoutScheme(target: string): string {
  return target.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').replace(/[/?#].*$/s, '');
}

/** An address family is wanted where there is no fallback to the other one. */
function family(part: Fields): string | undefined {
  if (truthOf(part['ip_protocol_fallback']) !== false) return undefined;
  return textOf(part['preferred_ip_protocol']) === 'ip4' ? '4' : '6';
}

/** Settings of `tls_config`; files stay on the exporter's machine. */
function tlsOf(part: Fields, lost: string[]): { readonly [key: string]: Json } | undefined {
  const config = recordOf(part['tls_config']) ?? {};
  const tls: Record<string, Json> = {};
  if (truthOf(config['insecure_skip_verify'])) tls['Verify'] = false;
  for (const [from, to] of [
    ['server_name', 'ServerName'],
    ['ca', 'CA'],
    ['cert', 'ClientCert'],
    ['key', 'ClientKey'],
  ] as const) {
    const text = textOf(config[from]);
    if (text !== undefined) tls[to] = text;
  }
  for (const file of ['ca_file', 'cert_file', 'key_file'])
    if (config[file] !== undefined) lost.push(`tls_config.${file} (its text belongs into Options.TLS)`);
  return Object.keys(tls).length === 0 ? undefined : tls;
}

/** Parts of the prober that become Options, or that make no difference to a check. */
const httpKnown = new Set([
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

function httpTarget(part: Fields, target: string, hostHeader: string | undefined): FoundTarget {
  if (part['oauth2'] !== undefined) return 'signs in by OAuth2, which no Method does; a Script can';
  if (truthOf(part['enable_http3'])) return 'asks by HTTP/3, which HTTP does not do here';
  if (truthOf(part['fail_if_ssl'])) return 'is good without TLS only; no Option says so';
  const url = /^https?:\/\//i.test(target) ? target : `http://${target}`;
  if (truthOf(part['fail_if_not_ssl']) && /^http:/i.test(url))
    return 'must end at TLS, but its address begins with http://';
  const lost = Object.keys(part)
    .filter((name) => !httpKnown.has(name))
    .map((name) => `http.${name} of its module`);
  const [pattern, ...patterns] = listOf(part['fail_if_body_not_matches_regexp']).flatMap(
    (each) => textOf(each) ?? [],
  );
  lost.push(...patterns.map((each) => `the body's further pattern ${JSON.stringify(each)}`));
  const statuses = listOf(part['valid_status_codes']).flatMap((each) => textOf(each) ?? []);
  const basic = recordOf(part['basic_auth']);
  const method = textOf(part['method']);
  const follow = truthOf(part['follow_redirects']) ?? !(truthOf(part['no_follow_redirects']) ?? false);
  const headers = headersOf(part, hostHeader, lost);
  const options: FoundOptions = {
    Method: method === undefined || method === 'GET' ? undefined : method,
    Headers: Object.keys(headers).length === 0 ? undefined : headers,
    Body: textOf(part['body']),
    User: textOf(basic?.['username']),
    Password: textOf(basic?.['password']),
    MaxRedirects: follow ? undefined : 0,
    Proxy: textOf(part['proxy_url']),
    IPFamily: family(part),
    // The exporter's default.
    ExpectStatus: statuses.length === 0 ? ['200-299'] : statuses,
    ExpectRegex: pattern,
    ExpectHeaders: headersExpected(part, lost),
    TLS: tlsOf(part, lost),
  };
  return { method: 'HTTP', url, options, lost };
}

function headersOf(part: Fields, hostHeader: string | undefined, lost: string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  if (hostHeader !== undefined) headers['Host'] = hostHeader;
  for (const [name, value] of Object.entries(recordOf(part['headers']) ?? {}))
    headers[name] = textOf(value) ?? '';
  for (const [name, value] of Object.entries(recordOf(part['http_headers']) ?? {})) {
    const sources = recordOf(value) ?? {};
    const text = [...listOf(sources['values']), ...listOf(sources['secrets'])]
      .flatMap((each) => textOf(each) ?? [])
      .at(-1);
    if (text === undefined) lost.push(`the header ${name}, whose value stands in a file`);
    else headers[name] = text;
  }
  const authorization = recordOf(part['authorization']);
  const credentials = textOf(authorization?.['credentials']) ?? textOf(part['bearer_token']);
  if (credentials !== undefined)
    headers['Authorization'] = `${textOf(authorization?.['type']) ?? 'Bearer'} ${credentials}`;
  else if (authorization !== undefined) lost.push('its authorization, which stands in a file');
  return headers;
}

/** A header that must match a plain text; other patterns have no counterpart. */
function headersExpected(part: Fields, lost: string[]): Record<string, string> | undefined {
  const expected: Record<string, string> = {};
  for (const each of listOf(part['fail_if_header_not_matches'])) {
    const name = textOf(recordOf(each)?.['header']);
    const pattern = textOf(recordOf(each)?.['regexp']) ?? '';
    const plain = pattern === '.*' ? '' : pattern;
    if (name !== undefined && /^[\w\s/=;,:-]*$/.test(plain)) expected[name] = plain;
    else lost.push(`the header ${name} by the pattern ${JSON.stringify(pattern)}`);
  }
  return Object.keys(expected).length === 0 ? undefined : expected;
}

function icmpTarget(part: Fields, target: string): FoundTarget {
  const lost = ['source_ip_address', 'dont_fragment']
    .filter((name) => part[name] !== undefined)
    .map((name) => `icmp.${name} of its module`);
  const options: FoundOptions = {
    Count: 1,
    Size: numberOf(part['payload_size']),
    TTL: numberOf(part['ttl']),
    IPFamily: family(part),
  };
  return { method: 'PING', url: urlFor('PING', target, undefined), options, lost };
}

/** A target of the tcp prober is checked by the Method of its port where the module merely waits for the greeting. */
function tcpTarget(part: Fields, target: string): FoundTarget {
  const lost = part['source_ip_address'] === undefined ? [] : ['tcp.source_ip_address of its module'];
  const dialogue = listOf(part['query_response']).map((each) => recordOf(each) ?? {});
  const place = withoutScheme(target);
  const method = guessMethod(place, undefined);
  if (dialogue.some((step) => truthOf(step['starttls']))) {
    if (method === 'SMTP' || method === 'IMAP4' || method === 'POP3' || method === 'FTP')
      return { method, url: place, options: { TLS: { Mode: 'StartTLS', ...tlsOf(part, lost) } }, lost };
    return 'changes to TLS in its dialogue, which TCP does not do here';
  }
  const steps: Json[] = [];
  for (const step of dialogue) {
    const expect = textOf(step['expect']);
    const send = step['send'] instanceof Uint8Array ? undefined : textOf(step['send']);
    if (step['expect_bytes'] !== undefined || (step['send'] !== undefined && send === undefined))
      return 'has bytes in its dialogue that are no text; set Options.Steps with SendHex and ExpectHex by hand';
    if (/\$\{\w+\}/.test(send ?? '')) return 'sends what an earlier answer held; a Script can do that';
    // The exporter expects first, then sends; a step here sends first.
    if (expect !== undefined) steps.push({ ExpectRegex: lineAnchored(expect) });
    if (send !== undefined) steps.push({ Send: `${send}\n` });
    if (step['labels'] !== undefined) lost.push('labels of its dialogue');
  }
  const url = `${truthOf(part['tls']) ? 'tls' : 'tcp'}://${place}`;
  const options: FoundOptions = {
    Steps: steps.length === 0 ? undefined : steps,
    IPFamily: family(part),
    TLS: truthOf(part['tls']) ? tlsOf(part, lost) : undefined,
  };
  return { method: 'TCP', url, options, lost };
}

/**
 * The exporter matches line by line; here the whole answer is searched. `^` may therefore stand at the begin of any
 * line.
 */
function lineAnchored(pattern: string): string {
  return pattern
    .replace(/^\^\+/, '^\\+')
    .replace(/^\^/, '(?:^|\\n)')
    .replace(/(?<!\\)\$$/, '(?:\\r?\\n|$)');
}

function dnsTarget(part: Fields, target: string): FoundTarget {
  const name = textOf(part['query_name']);
  if (name === undefined) return 'has no query_name in its module';
  const lost = [
    'validate_answer_rrs',
    'validate_authority_rrs',
    'validate_additional_rrs',
    'query_class',
    'source_ip_address',
  ]
    .filter((each) => part[each] !== undefined && part[each] !== 'IN')
    .map((each) => `dns.${each} of its module`);
  const [rcode, ...rcodes] = listOf(part['valid_rcodes']).flatMap((each) => textOf(each) ?? []);
  if (rcodes.length > 0) lost.push(`the codes ${rcodes.join(', ')}`);
  const type = textOf(part['query_type']) ?? 'ANY';
  if (type === 'ANY') lost.push('the type ANY: the addresses (A) are asked for');
  const secure = truthOf(part['dns_over_tls']) === true;
  const options: FoundOptions = {
    Server: withoutScheme(target),
    Type: type === 'ANY' ? 'A' : type,
    Transport: secure ? 'TLS' : textOf(part['transport_protocol']) === 'tcp' ? 'TCP' : undefined,
    ExpectRcode: rcode === 'NOERROR' ? undefined : rcode,
    Recursion: truthOf(part['recursion_desired']) === false ? false : undefined,
    IPFamily: family(part),
    TLS: secure ? tlsOf(part, lost) : undefined,
  };
  return { method: 'DNS', url: name.length > 1 ? name.replace(/\.$/, '') : name, options, lost };
}
