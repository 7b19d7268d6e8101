import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { grpcStatusName, healthRequest, readHealth, servingStatuses } from './health-messages.ts';

test('a request is a frame with the name of the service in field 1', () => {
  expect(healthRequest('').toString('hex')).toBe('0000000000');
  expect(healthRequest('a.B').toString('hex')).toBe('00000000050a03612e42');
  const long = healthRequest('x'.repeat(200));
  expect(long.subarray(0, 8).toString('hex')).toBe('00000000cb0ac801');
});

test.each([
  ['00000000020801', 'SERVING'],
  ['00000000020802', 'NOT_SERVING'],
  ['0000000000', 'UNKNOWN'],
  ['000000000412020801', 'UNKNOWN'],
  ['00000000061202080108' + '01', 'SERVING'],
  ['01000000020801', undefined],
  ['00000000030801', undefined],
  ['00000000020809', undefined],
  ['0000000002ffff', undefined],
])('the body %s is %s', (hex, status) => {
  expect(readHealth(Buffer.from(hex, 'hex'))).toBe(status);
});

test('any bytes are a status or none', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      const status = readHealth(Buffer.from(bytes));
      expect([undefined, ...servingStatuses]).toContain(status);
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('a status is a number from 0 to 16', () => {
  expect(['0', '16', '17', '-1', 'x', ''].map(grpcStatusName)).toEqual([
    'OK',
    'UNAUTHENTICATED',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
