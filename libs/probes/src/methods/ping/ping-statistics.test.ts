import type { PingAnswer } from '@vantage/icmp';
import { describe, expect, it } from 'vitest';
import { showFigure, summarise, unmetLimit } from './ping-statistics.ts';

const reply = (rttMs: number): PingAnswer => ({
  kind: 'reply',
  rttMs,
  from: '192.0.2.1',
  ttl: 64,
  bytes: 56,
});
const lost: PingAnswer = { kind: 'timeout' };

describe('a series of pings', () => {
  it('is summed up by loss, extremes, mean and jitter', () => {
    expect(summarise([reply(1), reply(3), lost, reply(2.5)])).toEqual({
      sent: 4,
      received: 3,
      lossPercent: 25,
      minMs: 1,
      meanMs: 2.167,
      maxMs: 3,
      jitterMs: 1.25,
      score: 2.36,
      bytes: 168,
    });
  });

  it('without any reply has no times', () => {
    expect(summarise([lost, lost])).toMatchObject({ received: 0, lossPercent: 100, meanMs: 0, jitterMs: 0 });
  });

  it.each([
    { limits: {}, unmet: undefined },
    { limits: { MaxLossPercent: 34 }, unmet: undefined },
    { limits: { MaxLossPercent: 20 }, unmet: 'loss 33.3 % is over 20 % (2 of 3 answered)' },
    { limits: { MaxLossPercent: 0 }, unmet: 'loss 33.3 % is over 0 % (2 of 3 answered)' },
    { limits: { MaxRTTMs: 2 }, unmet: undefined },
    { limits: { MaxRTTMs: 1.5 }, unmet: 'mean round-trip time 2 ms is over 1.5 ms' },
    { limits: { MaxJitterMs: 2 }, unmet: undefined },
    { limits: { MaxJitterMs: 1.9 }, unmet: 'jitter 2 ms is over 1.9 ms' },
    {
      limits: { MinMOS: 3.6 },
      unmet: 'MOS 2.02 is under 3.6 (round trip 2 ms, jitter 2 ms, loss 33.3 %)',
    },
  ])('meets $limits: $unmet', ({ limits, unmet }) => {
    expect(unmetLimit(summarise([reply(1), lost, reply(3)]), limits)).toBe(unmet);
  });

  it.each([
    [0.0123456, '0.0123'],
    [12.3456, '12.3'],
    [1234.5, '1230'],
  ])('shows %d as %s', (figure, text) => {
    expect(showFigure(figure)).toBe(text);
  });
});
