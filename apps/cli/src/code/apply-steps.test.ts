import { expect, test } from 'vitest';
import { applySteps, type BoundStep } from './apply-steps.ts';

/** The API's limit for the body of a batch. */
const maxBodyBytes = 4 * 1024 * 1024;

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

test('a part of a plan fits into a batch even if each character has four bytes', async () => {
  const bodies: number[] = [];
  const steps = Array.from({ length: 900 }, () => stepOf('𝔘'.repeat(2_000)));
  const { done } = await applySteps(
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
  expect(Math.max(...bodies)).toBeLessThan(maxBodyBytes);
});
