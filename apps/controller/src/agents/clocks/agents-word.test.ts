import { hourMs } from '@vantage/domain';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentsWord } from './agents-word.ts';

const hourUs = hourMs * 1000;
const accountsOf = (offsets: readonly number[]) =>
  offsets.map((aheadUs, i) => ({ accountNo: i + 1, aheadUs }));

test.each([
  ['nobody', [], 0, { aheadUs: undefined, objectors: [], isMajority: false }],
  ['the only account', [hourUs], 1, { aheadUs: hourUs, objectors: [1], isMajority: true }],
  ['the only account with agents elsewhere, of three', [hourUs], 3, { objectors: [1], isMajority: false }],
  ['one account of three', [hourUs, 0, 1], 3, { aheadUs: 1, objectors: [1], isMajority: false }],
  ['two of three', [hourUs, hourUs, 0], 3, { aheadUs: hourUs, objectors: [1, 2], isMajority: true }],
  ['two on either side', [-hourUs, hourUs], 2, { aheadUs: undefined, objectors: [1, 2], isMajority: true }],
])('%s', (_, offsets, accountsInAll, word) => {
  expect(agentsWord(accountsOf(offsets), accountsInAll)).toMatchObject(word);
});

test('property: fewer than half of the accounts never decide', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -1e13, max: 1e13 }), { maxLength: 20 }),
      fc.array(fc.integer({ min: -60_000_000, max: 60_000_000 }), { minLength: 21, maxLength: 40 }),
      (strange, right) => {
        const word = agentsWord(accountsOf([...strange, ...right]), strange.length + right.length);
        expect(word.isMajority).toBe(false);
        expect(Math.abs(word.aheadUs ?? Number.NaN)).toBeLessThanOrEqual(60_000_000);
      },
    ),
  );
});
