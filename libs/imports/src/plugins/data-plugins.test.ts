import { probeFor } from '@vantage/probes';
import { expect, test } from 'vitest';
import { shellWords } from './plugin-arguments.ts';
import { pluginCheck } from './plugin-check.ts';

/** Maps a command line; its Options must be those of the Method. */
function read(line: string) {
  const [program = '', ...words] = shellWords(line);
  const { target } = pluginCheck(program, words, '192.0.2.2');
  if (typeof target === 'string') return target;
  const probe = probeFor(target.method) ?? expect.fail(`no Method ${target.method}`);
  const options = Object.fromEntries(
    Object.entries(target.options ?? {}).filter(([, value]) => value !== undefined),
  );
  expect(probe.parseTarget(target.url)).toMatchObject({ ok: true });
  expect(probe.options.safeParse(options).error).toBeUndefined();
  return { ...target, options };
}

test('check_redis', () => {
  expect(read('check_redis.pl -H cache.example -p 6380 -x geheim -D 2 -q "GET,a key"')).toEqual({
    method: 'Redis',
    url: 'cache.example:6380',
    options: { Password: 'geheim', Database: 2, Command: 'GET "a key"' },
    lost: [],
  });
  expect(read('check_redis -S -q LLEN,jobs -w 1 -c 2')).toEqual({
    method: 'Redis',
    url: '192.0.2.2',
    options: { TLS: { Mode: 'Implicit' } },
    lost: ['its query LLEN,jobs', 'the limits of its variables'],
  });
});

test('check_pgsql', () => {
  expect(read('check_pgsql -H db.example -P 5433 -d shop -l mon -p geheim -q "select 1" -w 2 -C 5')).toEqual({
    method: 'PostgreSQL',
    url: 'db.example:5433',
    options: { User: 'mon', Password: 'geheim', Database: 'shop', Query: 'select 1', SlowMs: 2000 },
    lost: ['the limits for its result'],
  });
});

test('check_mqtt', () => {
  expect(read('check_mqtt.py -H broker.example -P 8883 -u mon -p geheim -a ca.pem')).toEqual({
    method: 'MQTT',
    url: 'broker.example:8883',
    options: {
      User: 'mon',
      Password: 'geheim',
      Topic: 'nagios/test',
      Message: 'PiNG',
      TLS: { Mode: 'Implicit' },
    },
    lost: ['its authority (set Options.TLS.CA)'],
  });
  expect(read('check_mqtt -t "a/#" -v online -o contains')).toEqual({
    method: 'MQTT',
    url: '192.0.2.2',
    options: { Topic: 'a/#', ExpectMessage: 'online' },
    lost: ['the comparison of the message: it must contain the value'],
  });
});
