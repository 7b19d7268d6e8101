import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contrastOf, minContrast, readableOn } from './contrast.ts';
import { backgrounds } from './public/style.ts';

test('the contrast is that of the examples of WCAG', () => {
  expect(contrastOf('#000000', '#ffffff')).toBe(21);
  expect(contrastOf('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
  expect(contrastOf('#ffffff', '#777777')).toBeCloseTo(4.48, 2);
});

const colour = fc
  .integer({ min: 0, max: 0xff_ff_ff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`);

test('any colour has a like one that can be read on each background, itself where it can be read', () => {
  fc.assert(
    fc.property(colour, fc.constantFrom(...Object.values(backgrounds)), (sent, background) => {
      const found = readableOn(sent, background);
      expect(contrastOf(found, background)).toBeGreaterThanOrEqual(minContrast);
      if (contrastOf(sent, background) >= minContrast) expect(found).toBe(sent);
    }),
    { numRuns: propertyRuns(300) },
  );
});
