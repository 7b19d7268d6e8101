import { expect, test } from 'vitest';
import { readInfo } from './redis-info.ts';

const lines = (...texts: readonly string[]) => texts.join('\r\n');

test('the lag of a master is that of its slowest replica that is online', () => {
  const info = readInfo(
    lines(
      'role:master',
      'slave0:ip=10.0.0.2,port=6379,state=online,offset=1,lag=1',
      'slave1:ip=10.0.0.3,port=6379,state=online,offset=1,lag=7',
      'slave2:ip=10.0.0.4,port=6379,state=wait_bgsave,offset=0,lag=90',
    ),
  );
  expect(info).toMatchObject({ role: 'master', replicas: 2, lagSeconds: 7, isLinked: undefined });
});

test('a replica without a link has no lag', () => {
  const info = readInfo(lines('role:slave', 'master_link_status:down', 'master_last_io_seconds_ago:-1'));
  expect(info).toMatchObject({ role: 'replica', isLinked: false, lagSeconds: undefined, values: [] });
});

test.each(['', 'no colon', 'used_memory:many', 'role:king', ':', 'connected_clients:1e999'])(
  'the text %j tells nothing',
  (text) => {
    expect(readInfo(text)).toMatchObject({ role: undefined, lagSeconds: undefined, values: [] });
  },
);
