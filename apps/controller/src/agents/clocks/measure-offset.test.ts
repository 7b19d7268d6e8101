import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maxRoundTripUs, provenOffsetUs } from './measure-offset.ts';

/** A reading of a clock that is ahead by `trueUs`, taken `outUs` after the question; the answer took `backUs`. */
function reading(trueUs: number, { outUs, backUs }: { readonly outUs: number; readonly backUs: number }) {
  return { aheadUs: trueUs + outUs - (outUs + backUs) / 2, roundTripUs: outUs + backUs };
}

const trip = fc.record({
  outUs: fc.integer({ min: 0, max: 5_000_000 }),
  backUs: fc.integer({ min: 0, max: 5_000_000 }),
});

test('no reading, or only slow ones, prove nothing', () => {
  expect(provenOffsetUs([])).toBeUndefined();
  expect(provenOffsetUs([{ aheadUs: 5, roundTripUs: maxRoundTripUs + 1 }])).toBeUndefined();
});

test('the smallest round trip counts, whatever slower ones say', () => {
  const slow = reading(0, { outUs: 4_000_000, backUs: 0 });
  expect(provenOffsetUs([slow, { aheadUs: 30, roundTripUs: 20 }, slow])).toBe(30);
});

test('property: of a clock that is right every reading proves nothing', () => {
  fc.assert(
    fc.property(fc.array(trip, { minLength: 1 }), (trips) => {
      expect(provenOffsetUs(trips.map((one) => reading(0, one)))).toBe(0);
    }),
  );
});

test('property: the error is at most half of the smallest round trip', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e13, max: 1e13 }), fc.array(trip, { minLength: 1 }), (trueUs, trips) => {
      const proven = provenOffsetUs(trips.map((one) => reading(trueUs, one))) ?? Number.NaN;
      const smallest = Math.min(...trips.map(({ outUs, backUs }) => outUs + backUs));
      expect(Math.abs(proven - trueUs)).toBeLessThanOrEqual(proven === 0 ? smallest : smallest / 2);
    }),
  );
});
