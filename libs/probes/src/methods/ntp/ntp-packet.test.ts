import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clockOffset, kissOf, ntpRequest, readNtpAnswer, writeNtpTime } from './ntp-packet.ts';

/** An answer with a transmit timestamp. */
function answerAt(us: number): Buffer {
  const bytes = Buffer.alloc(48);
  bytes[0] = 0x24;
  bytes[1] = 2;
  writeNtpTime(bytes, 40, us);
  return bytes;
}

describe('NTP timestamps', () => {
  test('are read back to the microsecond, in the era near the present, also after 2036', () => {
    const from = Date.UTC(1980, 0, 1) * 1000;
    const to = Date.UTC(2100, 0, 1) * 1000;
    const year = 365 * 86_400e6;
    fc.assert(
      fc.property(fc.integer({ min: from, max: to }), fc.integer({ min: -30, max: 30 }), (us, years) => {
        const found = readNtpAnswer(answerAt(us), us + years * year);
        expect(Math.abs((found?.answer.sentUs ?? 0) - us)).toBeLessThanOrEqual(1);
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  test('the timestamp of an RFC example', () => {
    const bytes = Buffer.alloc(48);
    bytes[0] = 0x24;
    // 1 January 1972, 00:00: 2,272,060,800 s (RFC 5905 section 6)
    bytes.writeUInt32BE(2_272_060_800, 40);
    expect(readNtpAnswer(bytes, Date.UTC(1975, 0, 1) * 1000)?.answer.sentUs).toBe(
      Date.UTC(1972, 0, 1) * 1000,
    );
  });
});

test('offset and round trip follow from the four timestamps, whatever the clocks and delays are', () => {
  const ms = fc.integer({ min: 0, max: 1_000_000 });
  const offset = fc.integer({ min: -1e9, max: 1e9 });
  fc.assert(
    fc.property(offset, ms, ms, (offsetUs, delayUs, workUs) => {
      const own = { sentUs: 5e9, receivedUs: 5e9 + 2 * delayUs + workUs };
      const receivedUs = own.sentUs + delayUs + offsetUs;
      const found = clockOffset({ receivedUs, sentUs: receivedUs + workUs }, own);
      expect(found.offsetMs).toBeCloseTo(offsetUs / 1000, 6);
      expect(found.roundTripMs).toBeCloseTo((2 * delayUs) / 1000, 6);
    }),
    { numRuns: propertyRuns(200) },
  );
});

test('two requests have different cookies, and tell no time', () => {
  const [one, two] = [ntpRequest(4), ntpRequest(4)];
  expect(one.cookie).not.toBe(two.cookie);
  expect(one.bytes.subarray(0, 40).toString('hex')).toBe(`23${'00'.repeat(39)}`);
  expect(ntpRequest(3).bytes[0]).toBe(0x1b);
});

test.each([
  ['too short', Buffer.alloc(47, 0x24)],
  ['a request', Buffer.concat([Buffer.of(0x23), Buffer.alloc(47)])],
  ['a broadcast', Buffer.concat([Buffer.of(0x25), Buffer.alloc(47)])],
])('%s is no answer', (_, bytes) => {
  expect(readNtpAnswer(bytes, 0)).toBeUndefined();
});

test('kisses have names', () => {
  expect(kissOf('RATE')).toEqual({ text: 'RATE: it wants fewer requests', isRefusal: true });
  expect(kissOf('INIT')).toMatchObject({ isRefusal: false });
  expect(kissOf('toString')).toEqual({ text: 'toString', isRefusal: true });
  expect(kissOf('')).toEqual({ text: '', isRefusal: false });
});
