import type { Json } from '@vantage/domain';
import type { FoundOptions, TargetOrReason } from '../found-check.ts';
import { hostPort, hostText } from '../values/host-port.ts';
import { portCheck } from '../values/port-check.ts';
import { textOf, textsOf } from '../values/unknown-values.ts';
import type { KumaMonitor } from './kuma-monitor.ts';
import { ntpTarget, radiusTarget, sipTarget } from './network-service-monitors.ts';
import { serviceTargets } from './service-monitors.ts';

/** Maps monitors of ports, names and services; undefined for other types. */
export function portMonitorTarget(monitor: KumaMonitor): TargetOrReason | undefined {
  const targetOf = Object.hasOwn(targetsByType, monitor.type) ? targetsByType[monitor.type] : undefined;
  return targetOf?.(monitor);
}

const connection = (monitor: KumaMonitor) => monitor.text('database_connection_string') ?? '';

const targetsByType: Readonly<Record<string, (monitor: KumaMonitor) => TargetOrReason>> = {
  port: portTarget,
  ping: pingTarget,
  'tailscale-ping': (monitor) =>
    withLost(pingTarget(monitor), 'Tailscale itself is not used: an agent in the tailnet pings the host'),
  dns: dnsTarget,
  mysql: mysqlTarget,
  smtp: smtpTarget,
  mongodb: (monitor) => portCheck(connection(monitor), 'login and command of MongoDB are not'),
  ...serviceTargets,
  sqlserver: (monitor) =>
    portCheck(sqlServerAddress(connection(monitor)), 'login and query of SQL Server are not', 1433),
  oracledb: (monitor) =>
    portCheck(connection(monitor).replace(/^\/\//, ''), 'login and query of Oracle are not', 1521),
  'kafka-producer': (monitor) =>
    portCheck(textOf(monitor.list('kafka_producer_brokers')[0]) ?? '', 'no message is produced', 9092),
  rabbitmq: rabbitTarget,
  snmp: snmpTarget,
  ntp: ntpTarget,
  radius: radiusTarget,
  'sip-options': sipTarget,
};

function withLost(target: TargetOrReason, text: string): TargetOrReason {
  return typeof target === 'string' ? target : { ...target, lost: [...(target.lost ?? []), text] };
}

function portTarget(monitor: KumaMonitor): TargetOrReason {
  const host = monitor.text('hostname');
  const port = monitor.number('port');
  if (host === undefined || port === undefined) return 'has no host or no port';
  const alert = monitor.text('expected_tls_alert');
  if (alert !== undefined && alert !== 'none') return `expects the TLS alert ${alert}; no Method does`;
  const security = monitor.text('smtp_security');
  const address = hostPort(host, port);
  if (security === 'secure')
    return {
      method: 'TCP',
      url: `tls://${address}`,
      options: { TLS: monitor.truth('ignore_tls') ? { Verify: false } : undefined },
    };
  return {
    method: 'TCP',
    url: address,
    lost: security === 'starttls' ? ['the certificate after STARTTLS'] : [],
  };
}

function pingTarget(monitor: KumaMonitor): TargetOrReason {
  const host = monitor.text('hostname');
  if (host === undefined) return 'has no host';
  const size = monitor.number('packet_size');
  // Kuma 1.x sends one packet.
  const count = monitor.number('ping_count') ?? 1;
  return {
    method: 'PING',
    url: hostText(host),
    options: { Count: count, Size: size === 56 ? undefined : size },
  };
}

function dnsTarget(monitor: KumaMonitor): TargetOrReason {
  const name = monitor.text('hostname');
  if (name === undefined) return 'has no name to resolve';
  const [server, ...others] = (monitor.text('dns_resolve_server') ?? '')
    .split(',')
    .map((name) => name.trim());
  const port = monitor.number('port');
  const options: FoundOptions = {
    Server:
      server === undefined || server === ''
        ? undefined
        : hostPort(server, port === undefined || port === 53 ? undefined : port),
    Type: monitor.text('dns_resolve_type'),
  };
  return {
    method: 'DNS',
    url: name,
    options,
    lost: others.length === 0 ? [] : [`its other servers: ${others.join(', ')}`],
  };
}

function mysqlTarget(monitor: KumaMonitor): TargetOrReason {
  const address = connection(monitor);
  if (!/^(mysql|mariadb):\/\//i.test(address))
    return 'has no address of the form mysql://user:password@host:port/database';
  const query = address.indexOf('?');
  const url = (query < 0 ? address : address.slice(0, query)).replace(/^mariadb:/i, 'mysql:');
  const options: FoundOptions = {
    Query: monitor.text('database_query') ?? 'SELECT 1',
    // The column is named after RADIUS, but Kuma stores this password in it, too.
    Password: monitor.text('radius_password'),
  };
  return { method: 'MySQL', url, options, lost: query < 0 ? [] : ['the parameters of its address'] };
}

const snmpVersions: Readonly<Record<string, string>> = { '1': 'v1', '2c': 'v2c', '3': 'v3' };

function snmpTarget(monitor: KumaMonitor): TargetOrReason {
  const host = monitor.text('hostname');
  const oid = monitor.text('snmp_oid');
  if (host === undefined || oid === undefined) return 'has no host or no OID';
  const version = snmpVersions[monitor.text('snmp_version') ?? '2c'] ?? 'v2c';
  const isV3 = version === 'v3';
  const port = monitor.number('port');
  // The column is named after RADIUS, but Kuma stores the community in it, too.
  const community = monitor.text('radius_password');
  const { expectation, lost } = snmpExpectation(monitor);
  return {
    method: 'SNMP',
    url: hostPort(host, port === 161 ? undefined : port),
    options: {
      Version: version,
      Community: isV3 ? undefined : community,
      User: isV3 ? monitor.text('snmp_v3_username') : undefined,
      Values: [{ OID: oid, ...expectation }],
    },
    lost,
  };
}

/** The condition of a monitor on the text or number of its object. */
function snmpExpectation(monitor: KumaMonitor): {
  readonly expectation: Readonly<Record<string, Json>>;
  readonly lost: readonly string[];
} {
  const path = monitor.text('json_path') ?? '$';
  const operator = monitor.text('json_path_operator') ?? '==';
  const expected = monitor.text('expected_value');
  const lost = path === '$' ? [] : [`its JSON query ${path}`];
  const limit = Number(expected);
  if (expected === undefined) return { expectation: {}, lost };
  if (operator === '==' && path === '$') return { expectation: { Expect: expected }, lost };
  const isLimit = Number.isFinite(limit) && path === '$';
  if (isLimit && operator === '>=') return { expectation: { Min: limit }, lost };
  if (isLimit && operator === '<=') return { expectation: { Max: limit }, lost };
  if (isLimit && operator === '>')
    return { expectation: { Min: limit }, lost: [...lost, `a value of exactly ${limit} is good here`] };
  if (isLimit && operator === '<')
    return { expectation: { Max: limit }, lost: [...lost, `a value of exactly ${limit} is good here`] };
  return { expectation: {}, lost: [...lost, `its condition ${operator} ${expected}`] };
}

const smtpModes: Readonly<Record<string, string>> = {
  secure: 'Implicit',
  starttls: 'StartTLS',
  nostarttls: 'None',
};

function smtpTarget(monitor: KumaMonitor): TargetOrReason {
  const host = monitor.text('hostname');
  if (host === undefined) return 'has no host';
  const mode = smtpModes[monitor.text('smtp_security') ?? ''];
  return {
    method: 'SMTP',
    url: hostPort(host, monitor.number('port') ?? 25),
    options: { TLS: mode === undefined ? undefined : { Mode: mode } },
    lost:
      mode === undefined ? ['STARTTLS where the server offers it (set Options.TLS.Mode to StartTLS)'] : [],
  };
}

/** `Server=host,1433;Database=…` → `host:1433`. */
function sqlServerAddress(text: string): string {
  const server = /(?:^|;)\s*(?:server|data source|addr|address)\s*=\s*(?:tcp:)?([^;]+)/i.exec(text)?.[1];
  return (server ?? text)
    .trim()
    .replace(',', ':')
    .replace(/\\[^:]*/, '');
}

/** RabbitMQ's management interface answers with an error status while an alarm is in effect. */
function rabbitTarget(monitor: KumaMonitor): TargetOrReason {
  const [node, ...others] = textsOf(monitor.list('rabbitmq_nodes'));
  if (node === undefined) return 'has no node';
  return {
    method: 'HTTP',
    url: `${node.replace(/\/+$/, '')}/api/health/checks/alarms`,
    options: { User: monitor.text('rabbitmq_username'), Password: monitor.text('rabbitmq_password') },
    lost: others.length === 0 ? [] : [`its other nodes: ${others.join(', ')}`],
  };
}
