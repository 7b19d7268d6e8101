import type { FoundOptions, FoundTarget } from '../found.ts';
import { portStandIn } from '../stand-in.ts';
import { hostPort, hostText, textOf } from '../values.ts';
import type { KumaMonitor } from './monitor.ts';

/** Maps monitors of ports, names and services; undefined for types that are not known. */
export function portCheck(monitor: KumaMonitor): FoundTarget | undefined {
  const map = Object.hasOwn(types, monitor.type) ? types[monitor.type] : undefined;
  return map?.(monitor);
}

const connection = (monitor: KumaMonitor) => monitor.text('database_connection_string') ?? '';

const types: Readonly<Record<string, (monitor: KumaMonitor) => FoundTarget>> = {
  port: portTarget,
  ping: pingTarget,
  'tailscale-ping': (monitor) =>
    withLost(
      pingTarget(monitor),
      'Tailscale itself is not asked: the host is pinged, from an agent in the tailnet',
    ),
  dns: dnsTarget,
  mysql: mysqlTarget,
  smtp: smtpTarget,
  postgres: (monitor) => portStandIn(connection(monitor), 'login and query of PostgreSQL are not'),
  mongodb: (monitor) => portStandIn(connection(monitor), 'login and command of MongoDB are not'),
  redis: (monitor) => portStandIn(connection(monitor), 'the login at Redis is not'),
  sqlserver: (monitor) =>
    portStandIn(sqlServerAddress(connection(monitor)), 'login and query of SQL Server are not', 1433),
  oracledb: (monitor) =>
    portStandIn(connection(monitor).replace(/^\/\//, ''), 'login and query of Oracle are not', 1521),
  mqtt: (monitor) =>
    portStandIn(
      monitor.text('hostname') ?? '',
      'topic and message of MQTT are not',
      monitor.number('port') ?? 1883,
    ),
  'kafka-producer': (monitor) =>
    portStandIn(textOf(monitor.list('kafka_producer_brokers')[0]) ?? '', 'no message is produced', 9092),
  'grpc-keyword': (monitor) => portStandIn(monitor.text('grpc_url') ?? '', 'no gRPC method is called', 443),
  'websocket-upgrade': (monitor) =>
    portStandIn(monitor.text('url') ?? '', 'the upgrade to a WebSocket is not'),
  rabbitmq: rabbitTarget,
};

function withLost(target: FoundTarget, text: string): FoundTarget {
  return typeof target === 'string' ? target : { ...target, lost: [...(target.lost ?? []), text] };
}

function hostOf(monitor: KumaMonitor): string | undefined {
  return monitor.text('hostname');
}

function portTarget(monitor: KumaMonitor): FoundTarget {
  const host = hostOf(monitor);
  const port = monitor.number('port');
  if (host === undefined || port === undefined) return 'has no host or no port';
  const alert = monitor.text('expected_tls_alert');
  if (alert !== undefined && alert !== 'none') return `expects the TLS alert ${alert}; no Method does`;
  const security = monitor.text('smtp_security');
  const place = hostPort(host, port);
  if (security === 'secure')
    return {
      method: 'TCP',
      url: `tls://${place}`,
      options: { TLS: monitor.truth('ignore_tls') ? { Verify: false } : undefined },
    };
  return {
    method: 'TCP',
    url: place,
    lost: security === 'starttls' ? ['the certificate after STARTTLS'] : [],
  };
}

function pingTarget(monitor: KumaMonitor): FoundTarget {
  const host = hostOf(monitor);
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

function dnsTarget(monitor: KumaMonitor): FoundTarget {
  const name = hostOf(monitor);
  if (name === undefined) return 'has no name to resolve';
  const [server, ...others] = (monitor.text('dns_resolve_server') ?? '')
    .split(',')
    .map((each) => each.trim());
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

function mysqlTarget(monitor: KumaMonitor): FoundTarget {
  const address = connection(monitor);
  if (!/^(mysql|mariadb):\/\//i.test(address))
    return 'has no address of the form mysql://user:password@host:port/database';
  const query = address.indexOf('?');
  const url = (query < 0 ? address : address.slice(0, query)).replace(/^mariadb:/i, 'mysql:');
  const options: FoundOptions = {
    Query: monitor.text('database_query') ?? 'SELECT 1',
    // The column is named for RADIUS; it holds this password, too.
    Password: monitor.text('radius_password'),
  };
  return { method: 'MySQL', url, options, lost: query < 0 ? [] : ['the parameters of its address'] };
}

const smtpModes: Readonly<Record<string, string>> = {
  secure: 'Implicit',
  starttls: 'StartTLS',
  nostarttls: 'None',
};

function smtpTarget(monitor: KumaMonitor): FoundTarget {
  const host = hostOf(monitor);
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

/** The management interface says by a status whether an alarm is in effect. */
function rabbitTarget(monitor: KumaMonitor): FoundTarget {
  const [node, ...others] = monitor.list('rabbitmq_nodes').flatMap((each) => textOf(each) ?? []);
  if (node === undefined) return 'has no node';
  return {
    method: 'HTTP',
    url: `${node.replace(/\/+$/, '')}/api/health/checks/alarms`,
    options: { User: monitor.text('rabbitmq_username'), Password: monitor.text('rabbitmq_password') },
    lost: others.length === 0 ? [] : [`its other nodes: ${others.join(', ')}`],
  };
}
