import { dayMs } from '@vantage/domain';
import { expect, test } from 'vitest';
import { chooseSigning, needsAuthority } from './choose-authority.ts';

const nowMs = 1_800_000_000_000;
const ends = (toMs: number, canSign = true) => ({ fromMs: 0, toMs: nowMs + toMs, canSign });

test.each([
  ['there is none', [], true],
  ['one has half a year left', [ends(180 * dayMs)], true],
  ['one has a moment more left', [ends(180 * dayMs + 1)], false],
  ['the one with time left cannot sign', [ends(181 * dayMs, false), ends(dayMs)], true],
  ['any of several has time left', [ends(dayMs), ends(181 * dayMs)], false],
])('a new authority is needed, or not, when %s', (_what, all, isNeeded) => {
  expect(needsAuthority(all, nowMs)).toBe(isNeeded);
});

const [over, ending, short, middle, long, lost] = [
  ends(0),
  ends(1),
  ends(90 * dayMs),
  ends(90 * dayMs + 1),
  ends(900 * dayMs),
  ends(900 * dayMs, false),
] as const;
test.each([
  ['the one that ends first of those with time left', [long, middle, short, over], undefined, middle],
  ['the preferred one', [long, middle], long, long],
  ['not the preferred one, when it ends soon', [long, short], short, long],
  ['the one that ends last, when all end soon', [ending, short], ending, short],
  ['the one that is in force for a moment yet', [over, ending], undefined, ending],
  ['none that is over', [over], undefined, undefined],
  ['none whose key is lost', [lost], lost, undefined],
])('of several authorities signs %s', (_what, all, preferred, expected) => {
  expect(chooseSigning(all, { nowMs, isPreferred: (one) => one === preferred })).toBe(expected);
});
