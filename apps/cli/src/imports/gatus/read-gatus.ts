import { parseJson } from '@vantage/kernel';
import { collector, type FoundCheck, type FoundOptions, type FoundTarget, type Reading } from '../found.ts';
import { mostThings, parseYaml, readText, unreadable } from '../input.ts';
import { portStandIn } from '../stand-in.ts';
import { listOf, numberOf, recordOf, spanSeconds, tagPath, textOf, truthOf } from '../values.ts';
import { type EndpointKind, readConditions } from './conditions.ts';

const accepts = 'the configuration of Gatus: YAML with a list endpoints';

type Fields = Readonly<Record<string, unknown>>;

/** Reads Gatus' configuration. */
export function readGatus(file: string): Reading {
  const yaml = parseYaml(readText(file), file, accepts);
  const config = recordOf(yaml.value);
  const endpoints = config?.['endpoints'];
  if (config === undefined || !Array.isArray(endpoints))
    throw unreadable(`${file} has no list endpoints; accepted is ${accepts}`);
  if (endpoints.length > mostThings) throw unreadable(`${file} has more than ${mostThings} endpoints`);
  const into = collector();
  for (const [at, value] of endpoints.entries()) {
    const place = `endpoints[${at}]`;
    const line = yaml.at(['endpoints', at]);
    readEndpoint(recordOf(value) ?? {}, line === '' ? place : `${line}, ${place}`, into);
  }
  for (const [at, value] of listOf(config['external-endpoints']).entries())
    into.refused.push({
      at: `external-endpoints[${at}]`,
      name: textOf(recordOf(value)?.['name']) ?? '',
      text: 'gets its results from elsewhere; no Method is passive',
    });
  for (const [at, value] of listOf(config['suites']).entries())
    into.refused.push({
      at: `suites[${at}]`,
      name: textOf(recordOf(value)?.['name']) ?? '',
      text: 'is a suite of requests in a row; a Script can do that',
    });
  const others = ['alerting', 'maintenance', 'announcements', 'remote', 'tunneling'].filter(
    (part) => config[part] !== undefined,
  );
  return { ...into, things: 'endpoints', ignored: others.map((part) => `not carried over: ${part}`) };
}

function readEndpoint(endpoint: Fields, at: string, into: ReturnType<typeof collector>): void {
  const name = textOf(endpoint['name']) ?? textOf(endpoint['url']) ?? '';
  const target = targetOf(endpoint);
  if (typeof target === 'string') {
    into.refused.push({ at, name, text: target });
    return;
  }
  const group = textOf(endpoint['group']);
  const client = recordOf(endpoint['client']) ?? {};
  const alerts = listOf(endpoint['alerts']).map(
    (alert) => numberOf(recordOf(alert)?.['failure-threshold']) ?? 3,
  );
  const check: FoundCheck = {
    at,
    name,
    id: group === undefined ? name : `${group}/${name}`,
    ...target,
    intervalSeconds: spanSeconds(endpoint['interval'] ?? '60s'),
    timeoutSeconds: spanSeconds(client['timeout'] ?? '10s'),
    attempts: alerts.length === 0 ? undefined : Math.min(...alerts),
    tags: group === undefined ? undefined : [tagPath(group)],
    enabled: truthOf(endpoint['enabled']) ?? true,
    lost: [
      ...(target.lost ?? []),
      ...(alerts.length > 0 ? ['its alerts (a notification schedule takes their place)'] : []),
      ...(endpoint['maintenance-windows'] === undefined ? [] : ['its maintenance windows']),
    ],
  };
  into.checks.push(check);
}

function targetOf(endpoint: Fields): FoundTarget {
  const url = textOf(endpoint['url']);
  if (url === undefined) return 'has no url';
  const client = recordOf(endpoint['client']) ?? {};
  for (const [part, why] of [
    ['oauth2', 'signs in by OAuth2, which no Method does; a Script can'],
    ['identity-aware-proxy', 'signs in at an identity-aware proxy, which no Method does'],
    ['tunnel', 'goes through an SSH tunnel; put an agent behind it'],
  ] as const)
    if (client[part] !== undefined) return why;
  const dns = recordOf(endpoint['dns']);
  if (dns !== undefined) return dnsTarget(endpoint, dns, url);
  const scheme = /^([a-z+]+):\/\//i.exec(url)?.[1]?.toLowerCase() ?? '';
  const address = url.slice(scheme.length + 3);
  switch (scheme) {
    case 'http':
    case 'https':
      return httpTarget(endpoint, client, url);
    case 'icmp':
      return judged(endpoint, 'ping', { method: 'PING', url: address, options: { Count: 1 } });
    case 'tcp':
      return judged(endpoint, 'connection', { method: 'TCP', url: `tcp://${address}` });
    case 'tls':
      return judged(endpoint, 'connection', {
        method: 'TCP',
        url: `tls://${address}`,
        options: tlsOf(client),
      });
    case 'starttls':
      return judged(endpoint, 'connection', {
        method: 'SMTP',
        url: address,
        options: { TLS: { Mode: 'StartTLS', ...insecure(client) } },
      });
    case 'ssh':
      return sshTarget(endpoint, address);
    case 'ws':
    case 'wss':
    case 'grpc':
    case 'grpcs':
      return judged(
        endpoint,
        'connection',
        portStandIn(url, scheme.startsWith('ws') ? 'the WebSocket is not' : 'no gRPC method is called'),
      );
    default:
      return `has the address ${JSON.stringify(url)}, for whose protocol there is no Method`;
  }
}

/** Lays the conditions over a target. */
function judged(endpoint: Fields, kind: EndpointKind, target: FoundTarget): FoundTarget {
  if (typeof target === 'string') return target;
  const { options, lost } = readConditions(
    listOf(endpoint['conditions']).flatMap((each) => textOf(each) ?? []),
    kind,
  );
  const { TLS, ...others } = options;
  const tls = { ...recordOf(target.options?.['TLS']), ...recordOf(TLS) };
  const merged: FoundOptions = {
    ...target.options,
    ...others,
    ...(Object.keys(tls).length > 0 && { TLS: jsonOf(tls) }),
  };
  return { ...target, options: merged, lost: [...(target.lost ?? []), ...lost] };
}

function jsonOf(values: Fields): FoundOptions[string] {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => {
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return [];
      return [[key, value] as const];
    }),
  );
}

function insecure(client: Fields): { Verify: false } | undefined {
  return truthOf(client['insecure']) ? { Verify: false } : undefined;
}

function tlsOf(client: Fields): FoundOptions {
  return { TLS: insecure(client) };
}

function httpTarget(endpoint: Fields, client: Fields, url: string): FoundTarget {
  const body = textOf(endpoint['body']);
  const graphql = truthOf(endpoint['graphql']) === true;
  const given = Object.entries(recordOf(endpoint['headers']) ?? {}).flatMap(([name, value]) => {
    const text = textOf(value);
    return text === undefined ? [] : [[name, text] as const];
  });
  const headers = Object.fromEntries(given);
  if (graphql && !given.some(([name]) => name.toLowerCase() === 'content-type'))
    headers['Content-Type'] = 'application/json';
  const method = (textOf(endpoint['method']) ?? 'GET').toUpperCase();
  const certificate = textOf(recordOf(client['tls'])?.['certificate-file']);
  const options: FoundOptions = {
    Method: method === 'GET' ? undefined : method,
    Headers: Object.keys(headers).length === 0 ? undefined : headers,
    Body: graphql && body !== undefined ? JSON.stringify({ query: body }) : body,
    MaxRedirects: truthOf(client['ignore-redirect']) ? 0 : undefined,
    Proxy: textOf(client['proxy-url']),
    // Every status is good where no condition names one.
    ExpectStatus: listOf(endpoint['conditions']).some((each) => textOf(each)?.startsWith('[STATUS]'))
      ? undefined
      : ['100-599'],
    ...tlsOf(client),
  };
  const target = judged(endpoint, 'http', { method: 'HTTP', url, options });
  if (typeof target === 'string' || certificate === undefined) return target;
  return {
    ...target,
    lost: [
      ...(target.lost ?? []),
      `its client certificate in ${certificate} (set Options.TLS.ClientCert and ClientKey)`,
    ],
  };
}

function dnsTarget(endpoint: Fields, dns: Fields, url: string): FoundTarget {
  const name = textOf(dns['query-name']);
  if (name === undefined) return 'has no query-name';
  const server = url.replace(/^[a-z]+:\/\//i, '').replace(/\/+$/, '');
  const options: FoundOptions = { Server: server, Type: textOf(dns['query-type']) };
  return judged(endpoint, 'dns', { method: 'DNS', url: name.replace(/(.)\.$/, '$1'), options });
}

/** The body of an SSH endpoint is `{"command": "…"}`; a user and password may stand in `ssh`. */
function sshTarget(endpoint: Fields, address: string): FoundTarget {
  const login = recordOf(endpoint['ssh']);
  const options: FoundOptions = { User: textOf(login?.['username']), Password: textOf(login?.['password']) };
  const key = textOf(login?.['private-key']);
  const command = commandOf(textOf(endpoint['body']));
  const signsIn = options['User'] !== undefined;
  return judged(endpoint, 'connection', {
    method: 'SSH',
    url: address,
    options: { ...options, PrivateKey: key, Command: signsIn ? command : undefined },
  });
}

function commandOf(body: string | undefined): string | undefined {
  return textOf(recordOf(parseJson(body))?.['command']);
}
