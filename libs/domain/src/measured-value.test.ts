import { expect, test } from 'vitest';
import { valueFault } from './measured-value.ts';

const value = { Label: 'ge-0/0/1 in', Value: 1.5, Unit: 'bit/s' };

test.each([
  ['a usual value', {}],
  ['no unit', { Unit: '' }],
  ['a negative number', { Value: -0.25 }],
  ['the largest number', { Value: -1e300 }],
  ['a label of 100 characters', { Label: 'x'.repeat(100) }],
  ['a label in another script', { Label: '温度 1' }],
  ['a unit of 20 characters', { Unit: '°'.repeat(20) }],
])('%s can be stored', (_, part) => {
  expect(valueFault({ ...value, ...part })).toBeUndefined();
});

test.each([
  ['no label', { Label: '' }, 'label'],
  ['a label of blanks', { Label: '   ' }, 'label'],
  ['a label of 101 characters', { Label: 'x'.repeat(101) }, 'label'],
  ['a label of two lines', { Label: 'a\nb' }, 'label'],
  ['half a character', { Label: 'a\ud800' }, 'label'],
  ['a NUL', { Label: 'a\0' }, 'label'],
  ['no number', { Value: Number.NaN }, 'finite'],
  ['infinity', { Value: Number.NEGATIVE_INFINITY }, 'finite'],
  ['a number whose sums would be infinite', { Value: 1.1e300 }, 'finite'],
  ['a unit of 21 characters', { Unit: 'x'.repeat(21) }, 'unit'],
  ['a unit of two lines', { Unit: 'a\u2028b' }, 'unit'],
])('%s cannot be stored', (_, part, reason) => {
  expect(valueFault({ ...value, ...part })).toContain(reason);
});
