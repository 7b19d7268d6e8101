import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fastAfter, type Slowness, slowAfter, stepSlowness } from './slowness.ts';

/** Says after each check whether the device is slow, from all checks since the last change. */
function oracle(checks: readonly boolean[]): readonly boolean[] {
  let [isSlow, from] = [false, 0];
  return checks.map((_, at) => {
    const since = checks.slice(from, at + 1);
    const tail = since.slice(isSlow ? -fastAfter : -slowAfter);
    const isChange = tail.length === (isSlow ? fastAfter : slowAfter) && tail.every((one) => one !== isSlow);
    if (isChange) [isSlow, from] = [!isSlow, at + 1];
    return isSlow;
  });
}

function run(checks: readonly boolean[]) {
  let state: Slowness | null = null;
  return checks.map((isSlowCheck) => {
    const before: Slowness | null = state;
    const { after, change } = stepSlowness(before, isSlowCheck);
    state = after;
    return { isSlow: after?.isSlow === true, change, isSame: after === before };
  });
}

test('property: a device is slow from the third slow check in a row to the fifth fast one in a row', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 60, size: 'max' }), (checks) => {
      expect(run(checks).map(({ isSlow }) => isSlow)).toEqual(oracle(checks));
    }),
  );
});

test('property: changes alternate, and fast checks of a fast device change nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 60, size: 'max' }), (checks) => {
      const changes = run(checks).flatMap(({ change }) => change ?? []);
      expect(changes).toEqual(changes.map((_, place) => (place % 2 === 0 ? 'slow' : 'fast')));
    }),
  );
  expect(run([false, false])).toEqual([
    { isSlow: false, change: null, isSame: true },
    { isSlow: false, change: null, isSame: true },
  ]);
});
