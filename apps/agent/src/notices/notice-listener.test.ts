import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { create } from '@bufbuild/protobuf';
import { createLog, systemClock } from '@vantage/kernel';
import { specOf } from '@vantage/probes';
import { encodeInteger, encodeOid, tlv } from '@vantage/probes/testing';
import { AssignmentSchema, type NoticeRecord, NoticeRecord_Kind } from '@vantage/proto';
import { expect, test, vi } from 'vitest';
import type { PolicyFile } from '../policy/policy-schema.ts';
import { listenForNotices } from './notice-listener.ts';

const soon = { timeout: 60_000, interval: 10 };
const community = 'sentinel-community';
const switch1 = create(AssignmentSchema, {
  deviceNo: 7,
  deviceCreatedUs: 5n,
  spec: specOf({ method: 'SNMP', url: '127.0.0.1', timeoutMs: 1_000, options: { Community: community } }),
});

const anyPort = { address: '127.0.0.1', port: 0 };

/** A listener whose only device is at 127.0.0.1, unless `isKnown` is false. */
async function listening(policy: Pick<PolicyFile, 'Traps' | 'Syslog'>, { isKnown = true } = {}) {
  const records: NoticeRecord[] = [];
  const checks: number[] = [];
  const listener = await listenForNotices({
    policy: { traps: policy.Traps, syslog: policy.Syslog },
    clock: systemClock,
    log: createLog('test', 'silent'),
    addresses: { devicesAt: (address) => (isKnown && address === '127.0.0.1' ? [switch1] : []) },
    nowUs: () => 123.4,
    checkNow: (deviceNo) => void checks.push(deviceNo),
    append: (record) => void records.push(record),
    localSecret: () => undefined,
  });
  const socket = createSocket('udp4');
  const [port = 0] = listener.ports;
  return {
    records,
    checks,
    totals: listener.totals,
    socket,
    send: (bytes: Buffer | string) => socket.send(bytes, port, '127.0.0.1'),
    async [Symbol.asyncDispose]() {
      socket.close();
      await listener[Symbol.asyncDispose]();
    },
  };
}

function trap(tag: number, value = 'Gi1/0/1'): Buffer {
  const varbind = (oid: string, content: Buffer) => tlv(0x30, Buffer.concat([encodeOid(oid), content]));
  const list = [
    varbind('1.3.6.1.6.3.1.1.4.1.0', encodeOid('1.3.6.1.6.3.1.1.5.3')),
    varbind('1.3.6.1.2.1.2.2.1.2.1', tlv(0x04, Buffer.from(value))),
  ];
  const head = [encodeInteger(2, 9), encodeInteger(2, 0), encodeInteger(2, 0)];
  const pdu = tlv(tag, Buffer.concat([...head, tlv(0x30, Buffer.concat(list))]));
  return tlv(0x30, Buffer.concat([encodeInteger(2, 1), tlv(4, Buffer.from(community)), pdu]));
}

test('a trap of a known device is kept and checks the device, once for several in a row', async () => {
  await using at = await listening({ Traps: { Listen: anyPort } });
  at.send(trap(0xa7));
  at.send(trap(0xa7, `the community is ${community}`));
  await vi.waitFor(() => expect(at.records).toHaveLength(2), soon);
  expect(at.records[0]).toMatchObject({
    deviceNo: 7,
    deviceCreatedUs: 5n,
    atUs: 123n,
    kind: NoticeRecord_Kind.TRAP,
    text: 'linkDown: ifDescr Gi1/0/1',
  });
  expect(at.records[1]?.text).toBe('linkDown: ifDescr the community is ***');
  expect(at.checks).toEqual([7]);
});

test('an inform is answered, but not to an unknown sender', async () => {
  await using known = await listening({ Traps: { Listen: anyPort } });
  const answered = once(known.socket, 'message');
  known.send(trap(0xa6));
  const [answer] = await answered;
  expect(answer).toEqual(trap(0xa2));
  await using unknown = await listening({ Traps: { Listen: anyPort } }, { isKnown: false });
  const answers: unknown[] = [];
  unknown.socket.on('message', (bytes) => answers.push(bytes));
  unknown.send(trap(0xa6));
  await vi.waitFor(() => expect(unknown.totals.unknown).toBe(1), soon);
  expect([unknown.records, unknown.checks, answers]).toEqual([[], [], []]);
});

test('lines of syslog count by their severity or by a text of the policy', async () => {
  await using at = await listening({ Syslog: { Listen: anyPort, MaxSeverity: 3, Contains: ['link down'] } });
  at.send('<14>Jan  1 00:00:00 sw all is well');
  at.send('<11>Jan  1 00:00:00 sw fan 2 failed');
  at.send('<14>Jan  1 00:00:00 sw LINK DOWN at 3');
  at.send('no syslog');
  await vi.waitFor(() => expect(at.totals.malformed).toBe(1), soon);
  await vi.waitFor(() => expect(at.records).toHaveLength(2), soon);
  expect(at.records.map(({ text }) => text)).toEqual(['error: sw fan 2 failed', 'info: sw LINK DOWN at 3']);
  expect(at.totals).toEqual({ kept: 2, dropped: 0, unknown: 0, unmatched: 1, malformed: 1 });
});

test('a flood of one address is dropped and counted, and its texts are bounded', async () => {
  await using at = await listening({ Syslog: { Listen: anyPort, MaxSeverity: 7, Contains: [] } });
  const batches = 20;
  for (let batch = 1; batch <= batches; batch += 1) {
    for (let line = 0; line < 20; line += 1) at.send(`<3>${'x\u202e\u0007'.repeat(500)}`);
    await vi.waitFor(() => expect(at.totals.kept + at.totals.dropped).toBe(20 * batch), soon);
  }
  expect(at.records.length).toBeGreaterThanOrEqual(10);
  expect(at.records.length).toBeLessThan(30);
  for (const { text } of at.records) expect(text).toMatch(/^error: [x ]{1,492}…/);
});

test('a port that cannot be opened stops nothing', async () => {
  await using at = await listening({ Traps: { Listen: { address: '192.0.2.99', port: 162 } } });
  expect(at.totals.kept).toBe(0);
});
