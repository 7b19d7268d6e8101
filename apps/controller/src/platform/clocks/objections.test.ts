import { dayMs, hourMs } from '@vantage/domain';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { heardAccounts, type Objections } from './objections.ts';

const hourUs = hourMs * 1000;

/** Plays hours; each names the accounts that object. Returns the accounts that are heard in each hour. */
function play(accountsInAll: number, accountNos: readonly number[], hours: readonly (readonly number[])[]) {
  let objections: Objections = new Map();
  return hours.map((objecting, hour) => {
    const accounts = accountNos.map((accountNo) => ({
      accountNo,
      aheadUs: objecting.includes(accountNo) ? hourUs : 0,
    }));
    const next = heardAccounts(objections, { accounts, accountsInAll, nowMs: hour * hourMs });
    objections = next.objections;
    return next.heard.map(({ accountNo }) => accountNo);
  });
}

test('one account of three is heard for a day, and again after a day in which it agreed', () => {
  const days = (count: number, objecting: readonly number[]) =>
    Array.from({ length: count * 24 }, () => objecting);
  const heard = play(3, [1], [...days(2, [1]), ...days(2, []), ...days(1, [1])]);
  expect(heard.slice(0, 24)).toEqual(days(1, [1]));
  expect(heard.slice(24, 48)).toEqual(days(1, []));
  expect(heard.slice(48)).toEqual(days(3, [1]));
});

test('an account that agrees for a moment in between is not heard anew', () => {
  const hours = Array.from({ length: 72 }, (_, hour) => (hour % 2 === 0 ? [1] : []));
  const heard = play(3, [1], hours);
  for (const hour of [24, 36, 48, 70]) expect(heard[hour]).toEqual([]);
});

test('the only account there is, and more than half of several, are heard for as long as they object', () => {
  const week = Array.from({ length: 168 }, () => [1, 2]);
  expect(play(1, [1], week).every((heard) => heard.length === 1)).toBe(true);
  expect(play(3, [1, 2], week).every((heard) => heard.length === 2)).toBe(true);
});

test('property: fewer than half of the accounts object to no effect after a day, whatever they did before', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 25, maxLength: 200 }), (objects) => {
      const heard = play(
        3,
        [1],
        objects.map((one) => (one ? [1] : [])),
      );
      const counted = objects.map((one, hour) => one && (heard[hour]?.length ?? 0) > 0);
      for (let hour = 0; hour + 48 <= counted.length; hour += 1)
        expect(counted.slice(hour, hour + 48).filter(Boolean).length).toBeLessThanOrEqual(dayMs / hourMs);
    }),
  );
});
