import type { Json } from '@vantage/domain';
import type { FoundOptions, TargetOrReason } from '../found-check.ts';
import { hostPort } from '../values/host-port.ts';
import { numberOf } from '../values/unknown-values.ts';
import type { PluginArguments } from './plugin-arguments.ts';

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

function modeOf(mode: string | undefined): Json | undefined {
  return mode === undefined ? undefined : { Mode: mode };
}
