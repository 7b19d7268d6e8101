import { expect, test } from 'vitest';
import { confirmedUs, outagesIn, type ReceiverSpan } from './receiver-store.ts';
import { goesOn } from './receiving.ts';

const second = 1_000_000;
const at = (s: number) => ({ nowUs: s * second, monoMs: s * 1000 });

test('a span continues while the process runs and its clock agrees with time', () => {
  expect(goesOn(at(0), at(2), false)).toBe(true);
  expect(goesOn(at(0), at(9), false)).toBe(true);
});

test.each([
  ['the process stood still', at(12), false],
  ['the clock jumped ahead', { nowUs: 3602 * second, monoMs: 2000 }, false],
  ['the clock was set back', { nowUs: -60 * second, monoMs: 2000 }, false],
  ['a call could not be stored', at(2), true],
])('a span ends where %s', (_, now, hasFailed) => {
  expect(goesOn(at(0), now, hasFailed)).toBe(false);
});

const span = (fromS: number, toS: number, more: Partial<ReceiverSpan> = {}): ReceiverSpan => ({
  receiverNo: 1,
  controllerId: 'a',
  fromUs: fromS * second,
  toUs: toS * second,
  ended: false,
  ...more,
});

test('moments are judged as far as the slowest controller that serves has stored its calls', () => {
  const now = 100 * second;
  expect(confirmedUs([span(0, 99), span(0, 97)], now)).toBe(97 * second);
  // One that ended, and one that was not heard of for half a minute, hold up no controller.
  expect(confirmedUs([span(0, 99), span(0, 80, { ended: true }), span(0, 70)], now)).toBe(99 * second);
  expect(confirmedUs([span(0, 60)], now)).toBeUndefined();
});

test('outages are where no controller received calls', () => {
  const period = { fromUs: 0, toUs: 100 * second };
  const outages = (...spans: readonly ReceiverSpan[]) =>
    outagesIn(spans, period).map(({ fromUs, toUs }) => [fromUs / second, toUs / second]);
  expect(outages(span(-10, 200))).toEqual([]);
  expect(outages(span(-10, 20), span(10, 50), span(60, 100))).toEqual([[50, 60]]);
  expect(outages(span(20, 30))).toEqual([
    [0, 20],
    [30, 100],
  ]);
  expect(outages()).toEqual([[0, 100]]);
  expect(outages(span(200, 300))).toEqual([[0, 100]]);
});
