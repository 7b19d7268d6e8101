// Traps and syslog of real programs, as an agent receives them: snmptrap and snmpinform of Net-SNMP, logger of
// util-linux.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { create } from '@bufbuild/protobuf';
import { createLog, systemClock } from '@vantage/kernel';
import { specOf } from '@vantage/probes';
import { AssignmentSchema } from '@vantage/proto';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { listenForNotices } from '../../apps/agent/src/notices/notice-listener.ts';

const programs = {
  snmptrap: '/usr/bin/snmptrap',
  snmpinform: '/usr/bin/snmpinform',
  logger: '/usr/bin/logger',
};
const missing = Object.values(programs).filter((program) => !existsSync(program));
const soon = { timeout: 60_000, interval: 10 };
const community = 'sentinel-trap';
const device = create(AssignmentSchema, {
  deviceNo: 7,
  spec: specOf({ method: 'SNMP', url: '127.0.0.1', timeoutMs: 1_000, options: { Community: community } }),
});

const texts: string[] = [];
let listener: Awaited<ReturnType<typeof listenForNotices>> | undefined;
let trapPort = 0;
let syslogPort = 0;

beforeAll(async () => {
  const address = '127.0.0.1';
  listener = await listenForNotices({
    policy: {
      traps: { Listen: { address, port: 0 } },
      syslog: { Listen: { address, port: 0 }, MaxSeverity: 3, Contains: [] },
    },
    clock: systemClock,
    log: createLog('test', 'silent'),
    addresses: { devicesAt: () => [device] },
    nowUs: () => systemClock.nowUs(),
    checkNow: () => {},
    append: ({ text }) => void texts.push(text),
    localSecret: () => undefined,
  });
  [trapPort = 0, syslogPort = 0] = listener.ports;
});
afterAll(() => listener?.[Symbol.asyncDispose]());
beforeEach(({ skip }) => {
  skip(missing.length > 0, `not installed: ${missing.join(', ')} (packages snmp and bsdutils)`);
  texts.splice(0);
});

// The listener is in this process, and an inform ends only with its answer.
const run = (program: string, args: readonly string[]) =>
  promisify(execFile)(program, args, { timeout: 60_000, env: { PATH: '/usr/bin', MIBS: '' } });
const arrived = (text: string) => vi.waitFor(() => expect(texts).toEqual([text]), soon);

const linkDown = '1.3.6.1.6.3.1.1.5.3';
const varbinds = ['1.3.6.1.2.1.2.2.1.1.3', 'i', '3', '1.3.6.1.2.1.31.1.1.1.18.3', 's', 'uplink hall 2'];
const expected = 'linkDown: ifIndex 3, ifAlias uplink hall 2';

test('a trap of v1', async () => {
  const to = [`127.0.0.1:${trapPort}`, '1.3.6.1.4.1.8072.2.3', '192.0.2.1', '2', '0', '55'];
  await run(programs.snmptrap, ['-v', '1', '-c', community, ...to, ...varbinds]);
  await arrived(expected);
});

test('a trap of v2c', async () => {
  await run(programs.snmptrap, [
    '-v',
    '2c',
    '-c',
    community,
    `127.0.0.1:${trapPort}`,
    '55',
    linkDown,
    ...varbinds,
  ]);
  await arrived(expected);
});

test('an inform of v2c, which ends only with an answer', async () => {
  const retries = ['-r', '0', '-t', '20'];
  await run(programs.snmpinform, [
    '-v',
    '2c',
    '-c',
    community,
    ...retries,
    `127.0.0.1:${trapPort}`,
    '55',
    linkDown,
    ...varbinds,
  ]);
  await arrived(expected);
});

test('a trap of v3', async () => {
  const user = [
    '-e',
    '0x8000000001020304',
    '-u',
    'u',
    '-l',
    'authPriv',
    '-a',
    'SHA',
    '-A',
    'password1',
    '-x',
    'AES',
    '-X',
    'password2',
  ];
  await run(programs.snmptrap, ['-v', '3', ...user, `127.0.0.1:${trapPort}`, '55', linkDown]);
  await arrived('SNMP v3 notification, whose content is not read');
});

test.each([
  ['RFC 3164', '--rfc3164'],
  ['RFC 5424', '--rfc5424'],
])('a line of syslog as in %s', async (_, form) => {
  const to = ['--server', '127.0.0.1', '--port', `${syslogPort}`, '--udp', form, '--tag', 'fand'];
  await run(programs.logger, [...to, '--priority', 'daemon.info', 'all is well']);
  await run(programs.logger, [...to, '--priority', 'daemon.err', `fan 2 failed, ${community}`]);
  await vi.waitFor(() => expect(texts).toHaveLength(1), soon);
  expect(texts[0]).toMatch(/^error: \S+ fand\S* .*fan 2 failed, \*\*\*$/);
});
