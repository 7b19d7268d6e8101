import { dayUs, secondUs } from '@vantage/domain';
import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stepStart } from './device-start.ts';

const day0 = 1e15;
const wrapUs = 2 ** 32 * 10_000;

test.each<[string, number | null, number, number, boolean]>([
  ['the first check', null, day0, day0 + 60 * secondUs, false],
  ['a later start', day0, day0 + 40 * dayUs, day0 + 40 * dayUs + 90 * secondUs, true],
  ['another agent, a second later', day0, day0 + secondUs, day0 + dayUs, false],
  ['another agent, earlier', day0, day0 - 20 * secondUs, day0 + dayUs, false],
  [
    'a clock of the device that drifts by 100 ppm',
    day0,
    day0 + 0.0001 * 300 * dayUs,
    day0 + 300 * dayUs,
    false,
  ],
  ['sysUpTime that began again after 497 days', day0, day0 + wrapUs + secondUs, day0 + wrapUs + dayUs, false],
  ['a start after the check', day0, day0 + 40 * dayUs, day0 + 39 * dayUs, false],
])(
  '%s: a restart is a start that is later, and neither drift nor a wrap',
  (_, known, startedUs, atUs, isRestart) => {
    const step = stepStart(known, { startedUs, atUs });
    expect(step.isRestart).toBe(isRestart);
    expect(step.startedUs).toBe(isRestart || known === null ? startedUs : known);
  },
);

test('property: each restart is one event, whichever agents see it, with errors of their clocks', () => {
  const starts = fc.array(fc.integer({ min: 300, max: 400 * 86_400 }), { minLength: 1, maxLength: 6 });
  const agents = fc.array(fc.integer({ min: -10_000_000, max: 10_000_000 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(starts, agents, fc.nat(), (lengthsS, errorsUs, turn) => {
      let startUs = day0;
      let known: number | null = null;
      let restarts = 0;
      for (const lengthS of lengthsS) {
        // The first check comes soon after a start.
        for (const afterS of [60, 0.5 * lengthS, 0.9 * lengthS]) {
          const atUs = startUs + afterS * secondUs;
          for (const at of errorsUs.keys()) {
            const errorUs = errorsUs[(at + turn) % errorsUs.length] ?? 0;
            const step = stepStart(known, { startedUs: startUs + errorUs, atUs });
            known = step.startedUs;
            if (step.isRestart) restarts += 1;
          }
        }
        startUs += lengthS * secondUs;
      }
      expect(restarts).toBe(lengthsS.length - 1);
    }),
    { numRuns: propertyRuns(200) },
  );
});
