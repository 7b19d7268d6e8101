import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { delayImpairment, lossImpairment, meanOpinionScore, scoreOf } from './mean-opinion-score.ts';

describe('the E-model gives the published figures', () => {
  // ITU-T G.107 annex B, table B.1; 93.2 is its default rating.
  test.each([
    [93.2, 4.41],
    [90, 4.34],
    [80, 4.03],
    [70, 3.6],
    [60, 3.1],
    [50, 2.58],
  ])('rating %d is the score %d', (rating, score) => {
    expect(Math.abs(scoreOf(rating) - score)).toBeLessThanOrEqual(0.007);
  });

  // ITU-T G.113 appendix I, table I.2: G.711 with concealment at random loss.
  test.each([
    [0, 0],
    [2, 7],
    [3, 10],
    [5, 15],
    [7, 20],
    [10, 25],
  ])('%d %% loss impair by about %d', (loss, impairment) => {
    expect(Math.abs(lossImpairment(loss) - impairment)).toBeLessThanOrEqual(2.1);
  });

  // ITU-T G.114: up to 150 ms are no burden for most calls, 400 ms are the limit of planning.
  test.each([
    [100, 0],
    [150, 0.17],
    [400, 24.1],
  ])('%d ms of delay impair by %d', (delay, impairment) => {
    expect(delayImpairment(delay)).toBeCloseTo(impairment, 0);
  });
});

test('a good way has 4.4, and every impairment lowers the score', () => {
  expect(meanOpinionScore({ meanRttMs: 20, jitterMs: 1, lossPercent: 0 })).toBeCloseTo(4.41, 2);
  const way = fc.record({
    meanRttMs: fc.double({ min: 0, max: 5000, noNaN: true }),
    jitterMs: fc.double({ min: 0, max: 1000, noNaN: true }),
    lossPercent: fc.double({ min: 0, max: 100, noNaN: true }),
  });
  fc.assert(
    fc.property(way, fc.constantFrom('meanRttMs', 'jitterMs', 'lossPercent'), (quality, key) => {
      const score = meanOpinionScore(quality);
      expect(score).toBeGreaterThanOrEqual(1);
      expect(score).toBeLessThanOrEqual(4.5);
      const worse = { ...quality, [key]: quality[key] + 1 };
      if (worse.lossPercent <= 100) expect(meanOpinionScore(worse)).toBeLessThanOrEqual(score + 1e-9);
    }),
  );
});
