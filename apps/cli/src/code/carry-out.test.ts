import { expect, test } from 'vitest';
import { type BoundStep, carryOut } from './carry-out.ts';

/** The API takes a body of so many bytes. */
const bodyBytes = 4 * 1024 * 1024;

const stepOf = (text: string): BoundStep => ({
  verb: 'create',
  kind: 'device',
  key: '',
  name: 'x',
  id: undefined,
  body: { FullName: text },
  fields: [],
  at: () => '',
  etag: undefined,
});

test('a part of a plan fits into a batch also where each character has four bytes', async () => {
  const bodies: number[] = [];
  const steps = Array.from({ length: 900 }, () => stepOf('𝔘'.repeat(2_000)));
  const { done } = await carryOut(
    {
      batch: async (operations) => {
        bodies.push(Buffer.byteLength(JSON.stringify({ Operations: operations })));
        return { results: operations.map(() => ({ Status: 200, Body: {} })) };
      },
    },
    steps,
    { isPreview: false, onPart: () => {} },
  );
  expect(done).toBe(900);
  expect(bodies.length).toBeGreaterThan(1);
  expect(Math.max(...bodies)).toBeLessThan(bodyBytes);
});
