import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonShape } from './body.ts';

function shapeByWalking(value: unknown): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 0 };
  const inner = Object.values(value);
  const shapes = inner.map(shapeByWalking);
  return {
    depth: 1 + Math.max(0, ...shapes.map(({ depth }) => depth)),
    values: Math.max(1, inner.length) + shapes.reduce((sum, { values }) => sum + values, 0),
  };
}

test('the shape of a text is that of its value, whatever its strings hold', () => {
  const strings = fc.oneof(fc.string(), fc.constantFrom('[{,', '"]', '\\', '\\"[', '\u2028'));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      strings,
      fc.double(),
      fc.constant(null),
      fc.array(tie('value')),
      fc.dictionary(strings, tie('value')),
    ),
  }));
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 2), (given, indent) => {
      const text = JSON.stringify(given, undefined, indent);
      expect(jsonShape(text)).toEqual(shapeByWalking(JSON.parse(text)));
    }),
  );
});

test.each(['"', '"\\', '"a\\"', '[[[', ']]]', '\\"', ''])('what is no JSON has a shape too: %j', (text) => {
  expect(jsonShape(text).depth).toBeLessThanOrEqual(3);
});
