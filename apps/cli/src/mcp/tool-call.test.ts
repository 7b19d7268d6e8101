import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toolsOf } from './mcp-tools.ts';
import { apiDocument } from './testing/api-document.ts';
import { boundedAnswer, requestOf } from './tool-call.ts';

test.each(['..', '.', ''])(
  'a tool sends nothing with %j in its path, which would reach another resource',
  (device_id) => {
    const [tool] = toolsOf(apiDocument, { writes: false, level: 'UR' }).filter(
      ({ name }) => name === 'getDevice',
    );
    if (tool === undefined) throw new Error('no tool');
    expect(requestOf(tool, { device_id: 'a/../b' }).path).toBe('/devices/a%2F..%2Fb');
    expect(() => requestOf(tool, { device_id })).toThrow('device_id must be an id');
  },
);

test('an answer is bounded, and a list is cut after a whole element', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ name: fc.string() })),
      fc.integer({ min: 10, max: 400 }),
      (list, maxLength) => {
        const text = boundedAnswer(list, maxLength);
        expect(text.length).toBeLessThan(maxLength + 200);
        const [first = ''] = text.split('\n');
        const shown: unknown = JSON.parse(first);
        expect(list.slice(0, Array.isArray(shown) ? shown.length : -1)).toEqual(shown);
      },
    ),
  );
});
