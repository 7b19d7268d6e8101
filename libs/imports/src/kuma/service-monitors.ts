import { parseJson } from '@vantage/kernel';
import type { TargetOrReason } from '../found-check.ts';
import { hostPort, withoutScheme } from '../values/host-port.ts';
import { portCheck } from '../values/port-check.ts';
import { orAbsent, recordOf, textFields, textOf } from '../values/unknown-values.ts';
import type { KumaMonitor } from './kuma-monitor.ts';

/** The monitors of databases and message services that have a Method of their own, by their type. */
export const serviceTargets: Readonly<Record<string, (monitor: KumaMonitor) => TargetOrReason>> = {
  redis: redisTarget,
  'grpc-keyword': grpcTarget,
  'websocket-upgrade': websocketTarget,
  mqtt: mqttTarget,
  postgres: postgresTarget,
};

/** `sslmode` decides about TLS. Without it Kuma uses none. */
function postgresTarget(monitor: KumaMonitor): TargetOrReason {
  const address = monitor.text('database_connection_string') ?? '';
  if (!/^postgres(ql)?:\/\//i.test(address))
    return 'has no address of the form postgres://user:password@host:port/database';
  const begin = address.indexOf('?');
  const parameters = new URLSearchParams(begin < 0 ? '' : address.slice(begin));
  const mode = parameters.get('sslmode') ?? 'disable';
  const others = [...parameters.keys()].filter((name) => name !== 'sslmode');
  const isUnverified = !mode.startsWith('verify-');
  return {
    method: 'PostgreSQL',
    url: begin < 0 ? address : address.slice(0, begin),
    options: {
      Query: monitor.text('database_query') ?? 'SELECT 1',
      TLS: mode === 'disable' ? undefined : { Mode: 'StartTLS', ...(isUnverified && { Verify: false }) },
    },
    lost: others.map((name) => `the parameter ${name} of its address`),
  };
}

/** Kuma waits for a message on the topic, which contains a text or fits a JSON query. */
function mqttTarget(monitor: KumaMonitor): TargetOrReason {
  const host = monitor.text('hostname');
  if (host === undefined) return 'has no host';
  const [, scheme = '', name = ''] = /^(?:([a-z]+):\/\/)?(.*)$/i.exec(host) ?? [];
  if (/^wss?$/i.test(scheme)) return 'speaks MQTT over a WebSocket, which no Method does';
  const isTls = /^(mqtts|ssl|tls)$/i.test(scheme);
  const isJson = monitor.text('mqtt_check_type') === 'json-query';
  const topic = monitor.text('mqtt_topic');
  const text = monitor.text('mqtt_success_message');
  return {
    method: 'MQTT',
    url: `${isTls ? 'mqtts' : 'mqtt'}://${hostPort(name.replace(/\/.*$/s, ''), monitor.number('port'))}`,
    options: {
      User: monitor.text('mqtt_username'),
      Password: monitor.text('mqtt_password'),
      Topic: topic,
      ExpectMessage: isJson || topic === undefined ? undefined : text,
    },
    lost: isJson ? ['its JSON query of the message'] : [],
  };
}

/** Kuma asks for the upgrade only. */
function websocketTarget(monitor: KumaMonitor): TargetOrReason {
  const url = monitor.text('url') ?? '';
  if (!/^wss?:\/\//i.test(url)) return 'has no address of the form ws://host/path';
  return {
    method: 'WebSocket',
    url,
    options: { Subprotocol: monitor.text('ws_subprotocol'), Ping: false },
    lost: monitor.truth('ws_ignore_sec_websocket_accept_header')
      ? ['that a wrong Sec-WebSocket-Accept is ignored']
      : [],
  };
}

/** Kuma calls any method. Only the one of the health protocol has a counterpart. */
function grpcTarget(monitor: KumaMonitor): TargetOrReason {
  const address = withoutScheme(monitor.text('grpc_url') ?? '');
  if (address === '') return 'has no address';
  const isTls = monitor.truth('grpc_enable_tls');
  const isHealth =
    /(^|\.)Health$/.test(monitor.text('grpc_service_name') ?? '') &&
    /^check$/i.test(monitor.text('grpc_method') ?? '');
  if (!isHealth)
    return portCheck(address, 'no gRPC method except that of the health protocol is called', 443);
  const service = textOf(recordOf(parseJson(monitor.text('grpc_body')))?.['service']);
  const keyword = monitor.text('keyword') ?? 'SERVING';
  const isNegated = monitor.truth('invert_keyword');
  return {
    method: 'gRPC',
    url: `${isTls ? 'grpcs' : 'grpc'}://${address}`,
    options: {
      Service: service,
      Metadata: orAbsent(textFields(recordOf(parseJson(monitor.text('grpc_metadata'))) ?? {})),
      TLS: isTls && monitor.truth('ignore_tls') ? { Verify: false } : undefined,
    },
    lost:
      keyword === 'SERVING' && !isNegated
        ? []
        : [`its keyword ${JSON.stringify(keyword)}: SERVING is expected`],
  };
}

/** Kuma asks for PONG; it ignores the certificate where `ignore_tls` is set. */
function redisTarget(monitor: KumaMonitor): TargetOrReason {
  const address = monitor.text('database_connection_string') ?? '';
  if (!/^rediss?:\/\//i.test(address)) return 'has no address of the form redis://user:password@host:port';
  const query = address.search(/[?#]/);
  return {
    method: 'Redis',
    url: query < 0 ? address : address.slice(0, query),
    options: { TLS: monitor.truth('ignore_tls') ? { Verify: false } : undefined },
    lost: query < 0 ? [] : ['the parameters of its address'],
  };
}
