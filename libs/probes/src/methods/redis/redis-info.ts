import type { MeasuredValue } from '@vantage/domain';

/** The role of a server. */
type RedisRole = 'master' | 'replica' | 'sentinel';

/** The figures of a server that a check uses. A figure that the server does not tell is undefined. */
export interface RedisInfo {
  readonly version: string | undefined;
  readonly role: RedisRole | undefined;
  /** Replicas that are online; of a master. */
  readonly replicas: number | undefined;
  /** Seconds since the master last heard of its slowest online replica, or this replica of its master. */
  readonly lagSeconds: number | undefined;
  /** Whether a replica is connected to its master. */
  readonly isLinked: boolean | undefined;
  readonly values: readonly MeasuredValue[];
}

const roles: Readonly<Record<string, RedisRole>> = {
  master: 'master',
  slave: 'replica',
  sentinel: 'sentinel',
};

/** Reads the answer to INFO: lines of `name:value`. Pure. */
export function readInfo(text: string): RedisInfo {
  const fields = new Map(
    text.split('\n').flatMap((line) => {
      const colon = line.indexOf(':');
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1).trim()] as const] : [];
    }),
  );
  const number = (name: string) => numberOf(fields.get(name));
  const role = roles[fields.get('role') ?? ''];
  const lags = onlineReplicas(fields);
  const lagSeconds = role === 'replica' ? number('master_last_io_seconds_ago') : greatest(lags);
  const replicas = role === 'master' ? lags.length : undefined;
  const usedMemory = number('used_memory');
  const maxMemory = number('maxmemory');
  const value = (Label: string, Value: number | undefined, Unit = ''): readonly MeasuredValue[] =>
    Value === undefined ? [] : [{ Label, Value, Unit }];
  return {
    version: fields.get('redis_version'),
    role,
    replicas,
    // Redis says -1 while the link is down.
    lagSeconds: lagSeconds !== undefined && lagSeconds >= 0 ? lagSeconds : undefined,
    isLinked: role === 'replica' ? fields.get('master_link_status') === 'up' : undefined,
    values: [
      ...value('Connected clients', number('connected_clients')),
      ...value('Blocked clients', number('blocked_clients')),
      ...value('Used memory', usedMemory, 'B'),
      ...value(
        'Memory use',
        usedMemory !== undefined && maxMemory !== undefined && maxMemory > 0
          ? (usedMemory / maxMemory) * 100
          : undefined,
        '%',
      ),
      ...value('Operations', number('instantaneous_ops_per_sec'), '/s'),
      ...value('Replicas', replicas),
      ...value('Replication lag', lagSeconds !== undefined && lagSeconds >= 0 ? lagSeconds : undefined, 's'),
    ],
  };
}

/** The lags of a master's replicas that are online: `slave0:ip=10.0.0.2,port=6379,state=online,offset=1,lag=0`. */
function onlineReplicas(fields: ReadonlyMap<string, string>): readonly (number | undefined)[] {
  return [...fields].flatMap(([name, value]) => {
    if (!/^slave\d{1,5}$/.test(name) || !/(^|,)state=online(,|$)/.test(value)) return [];
    return [numberOf(/(?:^|,)lag=(\d+)/.exec(value)?.[1])];
  });
}

function greatest(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((each) => each !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d{1,18}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined;
}
