import { describe, expect, it } from 'vitest';
import { roundTripMs } from './icmp-round-trip.ts';

const ms = 1e6;
const hour = 3_600_000 * ms;
const offset = 1.79e18;
const sent = { monoNs: 1000 * ms, offsetNs: offset };

describe('the round-trip time', () => {
  it.each([
    { name: 'leaves out the wait in the queue', read: 1012, drift: 0, queued: 10 * ms, expected: 2 },
    {
      name: 'is the time to the read without a stamp',
      read: 1012,
      drift: 0,
      queued: Number.NaN,
      expected: 12,
    },
    {
      name: 'ignores a clock set forward before the stamp',
      read: 1012,
      drift: hour,
      queued: 10 * ms,
      expected: 12,
    },
    {
      name: 'ignores a clock set back after the stamp',
      read: 1012,
      drift: -hour,
      queued: 10 * ms - hour,
      expected: 12,
    },
    {
      name: 'ignores a step smaller than the time in flight',
      read: 1012,
      drift: 3 * ms,
      queued: 4 * ms,
      expected: 12,
    },
    {
      name: 'is not upset by a clock that is slewed',
      read: 11_000,
      drift: 5 * ms,
      queued: ms,
      expected: 9999,
    },
    {
      name: 'is never negative when the stamp is absurd',
      read: 1012,
      drift: 0,
      queued: 500 * ms,
      expected: 12,
    },
  ])('$name', ({ read, drift, queued, expected }) => {
    const rtt = roundTripMs({
      sent,
      read: { monoNs: read * ms, offsetNs: offset + drift },
      queuedNs: queued,
    });
    expect(rtt).toBeCloseTo(expected, 6);
  });
});
