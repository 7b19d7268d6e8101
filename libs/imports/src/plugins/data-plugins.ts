import type { Json } from '@vantage/domain';
import type { FoundOptions, TargetOrReason } from '../found-check.ts';
import { hostPort } from '../values/host-port.ts';
import { numberOf } from '../values/unknown-values.ts';
import { ipFamily, milliseconds, type PluginArguments } from './plugin-arguments.ts';

/** check_redis.pl (William Leibzon) and check_redis of nagios-plugins-contrib: login, query and replication. */
export function redisPlugin(args: PluginArguments, host: string): TargetOrReason {
  const query = args.value('q', 'query');
  const key = /^GET,([^,:]+)/i.exec(query ?? '')?.[1];
  const options: FoundOptions = {
    User: args.value('username'),
    Password: args.value('x', 'password'),
    Database: numberOf(args.value('D', 'database', 'dbname')),
    Command: key === undefined ? undefined : `GET ${JSON.stringify(key)}`,
    TLS: modeOf(args.has('S', 'ssl', 'tls') ? 'Implicit' : undefined),
  };
  return {
    method: 'Redis',
    url: hostPort(host, numberOf(args.value('p', 'port'))),
    options,
    lost: [
      ...(query !== undefined && key === undefined ? [`its query ${query}`] : []),
      ...(args.has('w', 'c', 'warn', 'crit', 'a', 'variables') ? ['the limits of its variables'] : []),
    ],
  };
}

/** check_pgsql: the login, and a query whose first value it compares with limits. */
export function pgsqlPlugin(args: PluginArguments, host: string): TargetOrReason {
  const options: FoundOptions = {
    User: args.value('l', 'logname'),
    Password: args.value('p', 'password'),
    Database: args.value('d', 'database'),
    Query: args.value('q', 'query'),
    SlowMs: milliseconds(args.value('w', 'warning')),
    IPFamily: ipFamily(args),
  };
  return {
    method: 'PostgreSQL',
    url: hostPort(host, numberOf(args.value('P', 'port'))),
    options,
    lost: [
      ...(args.has('W', 'C', 'query-warning', 'query-critical') ? ['the limits for its result'] : []),
      ...(args.has('c', 'critical') ? ['its critical time'] : []),
      ...(args.has('o', 'option') ? ['the parameters of its connection (-o)'] : []),
    ],
  };
}

/** check_mqtt.py: sends a message on a topic, and expects it or another one back. */
export function mqttPlugin(args: PluginArguments, host: string): TargetOrReason {
  const topic = args.value('t', 'topic') ?? 'nagios/test';
  const isWritable = !args.has('r', 'readonly') && !/[+#]/.test(topic);
  const options: FoundOptions = {
    User: args.value('u', 'username'),
    Password: args.value('p', 'password'),
    Topic: topic,
    Message: isWritable ? (args.value('l', 'payload') ?? 'PiNG') : undefined,
    ExpectMessage: args.value('v', 'value'),
    TLS: modeOf(args.has('a', 'cafile') ? 'Implicit' : undefined),
  };
  return {
    method: 'MQTT',
    url: hostPort(host, numberOf(args.value('P', 'port'))),
    options,
    lost: [
      ...(args.has('o', 'operator') ? ['the comparison of the message: it must contain the value'] : []),
      ...(args.has('a', 'cafile') ? ['its authority (set Options.TLS.CA)'] : []),
    ],
  };
}

function modeOf(mode: string | undefined): Json | undefined {
  return mode === undefined ? undefined : { Mode: mode };
}
