import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldChecks } from './fold-checks.ts';

const checks = fc.array(fc.constantFrom(1, 1, 2, 5, 9), { maxLength: 60 }).map((codes) =>
  codes.map((ResultCode, at) => ({
    check_id: `${at}`,
    ResultCode,
    CheckResult: `${ResultCode}`,
    RequestTime: at % 7,
  })),
);

test('stretches have all checks in their order, and neighbours have other outcomes', () => {
  fc.assert(
    fc.property(checks, (list) => {
      const stretches = foldChecks(list);
      expect(stretches.flatMap((stretch) => stretch.checks)).toEqual(list);
      for (const [at, { outcome, checks: own, result }] of stretches.entries()) {
        expect(outcome).not.toBe(stretches[at + 1]?.outcome);
        expect(own.map(({ CheckResult }) => CheckResult)).toContain(result);
      }
    }),
  );
});

test('a stretch shows the most frequent result and the median', () => {
  const check = (CheckResult: string, RequestTime: number) => ({
    check_id: CheckResult,
    ResultCode: 3,
    CheckResult,
    RequestTime,
  });
  expect(foldChecks([check('a', 5), check('b', 0), check('b', 9), check('c', 7)])).toMatchObject([
    { outcome: 'bad', result: 'b', median: 7 },
  ]);
});
