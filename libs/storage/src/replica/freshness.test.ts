import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { observe, unknownFreshness } from './freshness.ts';

test('a replica is as fresh as the newest moment that it has replayed', () => {
  const first = observe(unknownFreshness, { sample: { atMs: 1, position: 100 }, replayed: 90 });
  expect(first.freshMs).toBeUndefined();
  const second = observe(first, { sample: { atMs: 2, position: 200 }, replayed: 199 });
  expect(second.freshMs).toBe(1);
  // The primary does not answer, and the replica goes on.
  expect(observe(second, { replayed: 200 })).toEqual({ freshMs: 2, waiting: [] });
  // The primary wrote nothing meanwhile.
  expect(observe(second, { sample: { atMs: 3, position: 200 }, replayed: 200 }).freshMs).toBe(3);
  expect(observe(second, { sample: { atMs: 3, position: 300 } }).freshMs).toBe(1);
});

/** Steps of a second: bytes that the primary writes, and the share of its WAL that the replica has then. */
const step = fc.record({
  written: fc.integer({ min: 0, max: 50 }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  primaryAnswers: fc.boolean(),
  replicaAnswers: fc.boolean(),
});

test('a replica is never taken for fresher than it is, and a fresh one is known again', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 300 }), (steps) => {
      let state = unknownFreshness;
      const positions: number[] = [];
      let [position, replayed] = [0, 0];
      for (const [atMs, { written, share, primaryAnswers, replicaAnswers }] of steps.entries()) {
        position += written;
        positions.push(position);
        replayed = Math.max(replayed, Math.floor(position * share));
        state = observe(state, {
          sample: primaryAnswers ? { atMs, position } : undefined,
          replayed: replicaAnswers ? replayed : undefined,
        });
        if (state.freshMs !== undefined) expect(positions[state.freshMs]).toBeLessThanOrEqual(replayed);
        expect(state.waiting.length).toBeLessThanOrEqual(64);
      }
      const atMs = steps.length;
      expect(observe(state, { sample: { atMs, position }, replayed: position })).toEqual({
        freshMs: atMs,
        waiting: [],
      });
    }),
    { numRuns: propertyRuns(200) },
  );
});
