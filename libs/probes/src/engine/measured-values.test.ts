import { maxValues } from '@vantage/domain';
import { expect, test } from 'vitest';
import { createMask, noMask } from '../redact/mask.ts';
import { fitValues } from './measured-values.ts';

const value = (Label: string, Value = 1, Unit = '') => ({ Label, Value, Unit });

test('values that can be stored stay as they are', () => {
  const values = [value('in', 1e12, 'bit/s'), value('temperature', -3.25, '°C')];
  expect(fitValues(values, noMask)).toEqual({ values, dropped: 0 });
});

test('labels and units become lines of their maximum length', () => {
  const { values } = fitValues([value(` two\nlines\t ${'x'.repeat(200)}`, 1, ` ${'y'.repeat(30)}`)], noMask);
  expect(values).toEqual([value(`two lines ${'x'.repeat(90)}`, 1, 'y'.repeat(20))]);
});

test('secrets are masked, also where two labels become the same', () => {
  const mask = createMask(['hunter2', 'swordfish']);
  const found = fitValues([value('hunter2 in', 1, 'hunter2'), value('swordfish in', 2)], mask);
  expect(found).toEqual({ values: [value('*** in', 1, '***')], dropped: 1 });
});

test('numbers that are not finite, labels without a character and repeated ones are dropped and counted', () => {
  const values = [value('a'), value('b', Number.NaN), value('c', Infinity), value(' \n'), value('a', 2)];
  expect(fitValues(values, noMask)).toEqual({ values: [value('a')], dropped: 4 });
});

test('the first 200 values are kept', () => {
  const values = Array.from({ length: maxValues + 5 }, (_, i) => value(`v${i}`, i));
  expect(fitValues(values, noMask)).toEqual({ values: values.slice(0, maxValues), dropped: 5 });
});

test('a character is not cut in half, and -0 is 0', () => {
  const { values } = fitValues([value(`${'x'.repeat(99)}🌡`, -0)], noMask);
  expect(values[0]?.Label).toBe(`${'x'.repeat(99)}\ufffd`);
  expect(Object.is(values[0]?.Value, 0)).toBe(true);
});
