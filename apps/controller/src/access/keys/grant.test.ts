import { levels } from '@vantage/rest-kit/session';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { grantFaults, type Power } from './grant.ts';

/** The moments are 0 to 3; all of these ends make a difference. */
const ends = [1, 2, 3, null] as const;
const scope = fc.option(fc.subarray([1, 2, 3], { minLength: 1 }), { nil: null });
const power = fc.record({
  level: fc.constantFrom(...levels),
  expiresUs: fc.constantFrom(...ends),
  tagNos: scope,
});
/** A device without a tag is number 0. */
const devices = [0, 1, 2, 3] as const;

/** Everything that somebody may do, each with the moment and the tag of the device: `UO at 2 on 1`. */
const doable = ({ level, expiresUs, tagNos }: Power): ReadonlySet<string> =>
  new Set(
    levels
      .slice(0, levels.indexOf(level) + 1)
      .flatMap((each) =>
        [0, 1, 2, 3]
          .filter((at) => expiresUs === null || at < expiresUs)
          .flatMap((at) =>
            devices
              .filter((tag) => tagNos === null || tagNos.includes(tag))
              .map((tag) => `${each} at ${at} on ${tag}`),
          ),
      ),
  );

test('nobody gives more than they have, and everything that they have', () => {
  fc.assert(
    fc.property(power, power, (giver, given) => {
      const own = doable(giver);
      const isWithin = [...doable(given)].every((each) => own.has(each));
      const isAllowed = grantFaults(giver, given).length === 0;
      expect(isAllowed).toBe(isWithin);
    }),
    { numRuns: 500 },
  );
});

test('the faults name the fields', () => {
  const giver = { level: 'UO', expiresUs: 5, tagNos: [1] } as const;
  const faults = grantFaults(giver, { level: 'UA', expiresUs: null, tagNos: null });
  expect(faults.map(({ field }) => field)).toEqual(['Level', 'Expires', 'Tags']);
});
