import { parseJson } from '@vantage/kernel';
import type { FoundOptions, TargetOrReason } from '../found-check.ts';
import {
  listOf,
  orAbsent,
  recordOf,
  textFields,
  textOf,
  textsOf,
  truthOf,
  type UnknownRecord,
} from '../values/unknown-values.ts';
import { type EndpointKind, translateConditions } from './gatus-conditions.ts';

/** Maps an endpoint of Gatus by the scheme of its URL. */
export function gatusTarget(endpoint: UnknownRecord): TargetOrReason {
  const url = textOf(endpoint['url']);
  if (url === undefined) return 'has no url';
  const client = recordOf(endpoint['client']) ?? {};
  for (const [part, reason] of [
    ['oauth2', 'signs in by OAuth2, which no Method does; a Script can'],
    ['identity-aware-proxy', 'signs in at an identity-aware proxy, which no Method does'],
    ['tunnel', 'goes through an SSH tunnel; put an agent behind it'],
  ] as const)
    if (client[part] !== undefined) return reason;
  const dns = recordOf(endpoint['dns']);
  if (dns !== undefined) return dnsTarget(endpoint, dns, url);
  const scheme = /^([a-z+]+):\/\//i.exec(url)?.[1]?.toLowerCase() ?? '';
  const address = url.slice(scheme.length + 3);
  switch (scheme) {
    case 'http':
    case 'https':
      return httpTarget(endpoint, client, url);
    case 'icmp':
      return withConditions(endpoint, 'ping', { method: 'PING', url: address, options: { Count: 1 } });
    case 'tcp':
      return withConditions(endpoint, 'connection', { method: 'TCP', url: `tcp://${address}` });
    case 'udp':
      return withConditions(endpoint, 'connection', udpTarget(endpoint, address));
    case 'tls':
      return withConditions(endpoint, 'connection', {
        method: 'TCP',
        url: `tls://${address}`,
        options: { TLS: verification(client) },
      });
    case 'starttls':
      return withConditions(endpoint, 'connection', {
        method: 'SMTP',
        url: address,
        options: { TLS: { Mode: 'StartTLS', ...verification(client) } },
      });
    case 'ssh':
      return sshTarget(endpoint, address);
    case 'ws':
    case 'wss':
      return websocketTarget(endpoint, client, url);
    case 'grpc':
    case 'grpcs':
      return withConditions(endpoint, 'connection', {
        method: 'gRPC',
        url: url.replace(/\/+$/, ''),
        options: { TLS: verification(client) },
      });
    default:
      return `has the address ${JSON.stringify(url)}, for whose protocol there is no Method`;
  }
}

/** Adds the endpoint's conditions to the Options of a target. */
function withConditions(endpoint: UnknownRecord, kind: EndpointKind, target: TargetOrReason): TargetOrReason {
  if (typeof target === 'string') return target;
  const { options, lost } = translateConditions(textsOf(endpoint['conditions']), kind);
  const { TLS, ...others } = options;
  const tls = { ...recordOf(target.options?.['TLS']), ...recordOf(TLS) };
  const merged: FoundOptions = {
    ...target.options,
    ...others,
    ...(Object.keys(tls).length > 0 && { TLS: primitivesOf(tls) }),
  };
  return { ...target, options: merged, lost: [...(target.lost ?? []), ...lost] };
}

function primitivesOf(values: UnknownRecord): FoundOptions[string] {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => {
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return [];
      return [[key, value] as const];
    }),
  );
}

function verification(client: UnknownRecord): { Verify: false } | undefined {
  return truthOf(client['insecure']) ? { Verify: false } : undefined;
}

function httpTarget(endpoint: UnknownRecord, client: UnknownRecord, url: string): TargetOrReason {
  const body = textOf(endpoint['body']);
  const isGraphql = truthOf(endpoint['graphql']) === true;
  const headers = textFields(recordOf(endpoint['headers']) ?? {});
  if (isGraphql && !Object.keys(headers).some((name) => name.toLowerCase() === 'content-type'))
    headers['Content-Type'] = 'application/json';
  const method = (textOf(endpoint['method']) ?? 'GET').toUpperCase();
  const hasStatusCondition = listOf(endpoint['conditions']).some((condition) =>
    textOf(condition)?.startsWith('[STATUS]'),
  );
  const options: FoundOptions = {
    Method: method === 'GET' ? undefined : method,
    Headers: orAbsent(headers),
    Body: isGraphql && body !== undefined ? JSON.stringify({ query: body }) : body,
    MaxRedirects: truthOf(client['ignore-redirect']) ? 0 : undefined,
    Proxy: textOf(client['proxy-url']),
    // Gatus accepts every status when no condition names one.
    ExpectStatus: hasStatusCondition ? undefined : ['100-599'],
    TLS: verification(client),
  };
  const target = withConditions(endpoint, 'http', { method: 'HTTP', url, options });
  const certificate = textOf(recordOf(client['tls'])?.['certificate-file']);
  if (typeof target === 'string' || certificate === undefined) return target;
  return {
    ...target,
    lost: [
      ...(target.lost ?? []),
      `its client certificate in ${certificate} (set Options.TLS.ClientCert and ClientKey)`,
    ],
  };
}

/** Gatus is content with a datagram that it could send; only the `body` asks for an answer. */
function udpTarget(endpoint: UnknownRecord, address: string): TargetOrReason {
  const body = textOf(endpoint['body']);
  return {
    method: 'UDP',
    url: address,
    options: body === undefined ? { AnswerRequired: false } : { Send: body },
  };
}

function dnsTarget(endpoint: UnknownRecord, dns: UnknownRecord, url: string): TargetOrReason {
  const name = textOf(dns['query-name']);
  if (name === undefined) return 'has no query-name';
  const server = url.replace(/^[a-z]+:\/\//i, '').replace(/\/+$/, '');
  const options: FoundOptions = { Server: server, Type: textOf(dns['query-type']) };
  return withConditions(endpoint, 'dns', { method: 'DNS', url: name.replace(/(.)\.$/, '$1'), options });
}

/** Gatus sends the body, and the answer is in the conditions. Without a body the upgrade is all. */
function websocketTarget(endpoint: UnknownRecord, client: UnknownRecord, url: string): TargetOrReason {
  const Send = textOf(endpoint['body']);
  const Headers = orAbsent(textFields(recordOf(endpoint['headers']) ?? {}));
  const options = { Send, Headers, Ping: Send === undefined ? false : undefined, TLS: verification(client) };
  return withConditions(endpoint, 'message', { method: 'WebSocket', url, options });
}

/** The body of an SSH endpoint is `{"command": "…"}`. User, password and key are in `ssh`. */
function sshTarget(endpoint: UnknownRecord, address: string): TargetOrReason {
  const login = recordOf(endpoint['ssh']);
  const User = textOf(login?.['username']);
  return withConditions(endpoint, 'connection', {
    method: 'SSH',
    url: address,
    options: {
      User,
      Password: textOf(login?.['password']),
      PrivateKey: textOf(login?.['private-key']),
      Command: User === undefined ? undefined : commandOf(textOf(endpoint['body'])),
    },
  });
}

function commandOf(body: string | undefined): string | undefined {
  return textOf(recordOf(parseJson(body))?.['command']);
}
