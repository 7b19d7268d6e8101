import { propertyRuns } from '@vantage/kernel/testing';
import { encodeInteger, encodeOid, tlv } from '@vantage/probes/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTrap } from './read-trap.ts';

const text = (value: string) => tlv(0x04, Buffer.from(value));
const varbind = (oid: string, value: Buffer) => tlv(0x30, Buffer.concat([encodeOid(oid), value]));
const message = (version: number, pdu: Buffer) =>
  tlv(0x30, Buffer.concat([encodeInteger(0x02, version), text('very-secret'), pdu]));

function v2(tag: number, trap: string, ...varbinds: readonly Buffer[]): Buffer {
  const all = [
    varbind('1.3.6.1.2.1.1.3.0', encodeInteger(0x43, 12_345)),
    varbind('1.3.6.1.6.3.1.1.4.1.0', encodeOid(trap)),
    ...varbinds,
  ];
  const head = [encodeInteger(0x02, 77), encodeInteger(0x02, 0), encodeInteger(0x02, 0)];
  return message(1, tlv(tag, Buffer.concat([...head, tlv(0x30, Buffer.concat(all))])));
}

function v1(generic: number, specific: number, ...varbinds: readonly Buffer[]): Buffer {
  const head = [
    encodeOid('1.3.6.1.4.1.9.9.43'),
    tlv(0x40, Buffer.from([192, 0, 2, 1])),
    encodeInteger(0x02, generic),
    encodeInteger(0x02, specific),
    encodeInteger(0x43, 1),
  ];
  return message(0, tlv(0xa4, Buffer.concat([...head, tlv(0x30, Buffer.concat(varbinds))])));
}

const down = [
  varbind('1.3.6.1.2.1.2.2.1.1.10101', encodeInteger(0x02, 10_101)),
  varbind('1.3.6.1.2.1.2.2.1.2.10101', text('Gi1/0/1')),
  varbind('1.3.6.1.6.3.18.1.4.0', text('very-secret')),
];

test.each<[string, Buffer, string | undefined]>([
  ['linkDown of v2c', v2(0xa7, '1.3.6.1.6.3.1.1.5.3', ...down), 'linkDown: ifIndex 10101, ifDescr Gi1/0/1'],
  ['linkUp of v1', v1(3, 0, ...down.slice(0, 2)), 'linkUp: ifIndex 10101, ifDescr Gi1/0/1'],
  ['one of an enterprise', v2(0xa7, '1.3.6.1.4.1.9.9.43.2.0.1'), '1.3.6.1.4.1.9.9.43.2.0.1'],
  ['one of an enterprise, v1', v1(6, 4), '1.3.6.1.4.1.9.9.43.0.4'],
  [
    'values of every type',
    v2(
      0xa7,
      '1.3.6.1.6.3.1.1.5.1',
      varbind('1.2.3.1', encodeInteger(0x41, 7)),
      varbind('1.2.3.2', tlv(0x40, Buffer.from([10, 0, 0, 1]))),
      varbind('1.2.3.3', encodeOid('1.3.6')),
      varbind('1.2.3.4', tlv(0x04, Buffer.from([0, 0x1a, 0xff]))),
      varbind('1.2.3.5', tlv(0x05, Buffer.alloc(0))),
      varbind('1.2.3.6', text('x'.repeat(150))),
    ),
    `coldStart: 1.2.3.1 7, 1.2.3.2 10.0.0.1, 1.2.3.3 1.3.6, 1.2.3.4 00:1a:ff, 1.2.3.5 , 1.2.3.6 ${'x'.repeat(100)}…`,
  ],
  [
    'many values',
    v2(
      0xa7,
      '1.3.6.1.6.3.1.1.5.2',
      ...Array.from({ length: 10 }, (_, at) => varbind(`1.2.${at}`, encodeInteger(2, at))),
    ),
    `warmStart: ${Array.from({ length: 8 }, (_, at) => `1.2.${at} ${at}`).join(', ')}, 2 more`,
  ],
  [
    'v3',
    tlv(0x30, Buffer.concat([encodeInteger(0x02, 3), tlv(0x30, Buffer.alloc(3))])),
    'SNMP v3 notification, whose content is not read',
  ],
  ['a question instead of a trap', v2(0xa0, '1.3.6.1.6.3.1.1.5.3'), undefined],
  ['nothing', Buffer.alloc(0), undefined],
  ['a cut message', v2(0xa7, '1.3.6.1.6.3.1.1.5.3', ...down).subarray(0, 60), undefined],
])('%s', (_, bytes, expected) => {
  const read = readTrap(bytes);
  expect(read?.text).toBe(expected);
  expect(JSON.stringify(read ?? {})).not.toContain('very-secret');
  expect(read?.answer).toBeUndefined();
});

test('an inform has an answer: the same message as a response', () => {
  const bytes = v2(0xa6, '1.3.6.1.6.3.1.1.5.3', ...down);
  const { answer, text: said } = readTrap(bytes) ?? {};
  expect(said).toBe('linkDown: ifIndex 10101, ifDescr Gi1/0/1');
  const response = v2(0xa2, '1.3.6.1.6.3.1.1.5.3', ...down);
  expect(answer?.equals(response)).toBe(true);
});

test('property: no bytes make it throw, read beyond them, or return more than some thousand characters', () => {
  const good = v2(0xa7, '1.3.6.1.6.3.1.1.5.3', ...down);
  const damaged = fc
    .array(fc.tuple(fc.nat({ max: good.length - 1 }), fc.nat({ max: 255 })), { maxLength: 6 })
    .map((changes) => {
      const bytes = Buffer.from(good);
      for (const [at, byte] of changes) bytes[at] = byte;
      return bytes;
    });
  const noise = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(fc.oneof(damaged, noise), (bytes) => {
      expect(readTrap(bytes)?.text.length ?? 0).toBeLessThan(8_000);
    }),
    { numRuns: propertyRuns(500) },
  );
});
