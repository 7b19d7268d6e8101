import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ChosenVersion, type LastStart, selectVersion, type TrialVersion } from './select-version.ts';

const installed = '1.0.0';
const current: ChosenVersion = { upgradeId: 'a', version: '1.1.0', previous: '1.0.0', installed };
const trial: TrialVersion = { upgradeId: 'b', version: '1.2.0', previous: '1.1.0', installed, starts: 1 };
const ended: LastStart = { kind: 'ended', status: 1 };
const late: LastStart = { kind: 'late' };

test.each([
  ['nothing was ever upgraded', {}, { kind: 'installed' }],
  ['an upgrade was confirmed', { current }, { kind: 'current', version: '1.1.0' }],
  ['a version is to be tried', { current, trial }, { kind: 'try', trial: { ...trial, starts: 2 } }],
  ['the first upgrade is to be tried', { trial }, { kind: 'try', trial: { ...trial, starts: 2 } }],
  ['it was late', { current, trial, outcome: late }, { kind: 'back', trial }],
  [
    'it ended three times',
    { current, trial: { ...trial, starts: 3 } },
    { kind: 'back', text: expect.stringContaining('exit status 1') },
  ],
  ['the operator installed another program', { current, installed: '1.3.0' }, { kind: 'replaced' }],
  [
    'the operator installed another program during a trial',
    { trial, installed: '1.3.0' },
    { kind: 'replaced' },
  ],
])('the launcher selects when %s', (_, now, selection) => {
  const whole = { installed, current: undefined, trial: undefined, outcome: ended, ...now };
  expect(selectVersion(whole)).toMatchObject(selection);
});

test('a version that is never confirmed is given up after at most three starts, however each of them ends', () => {
  const outcome = fc.oneof(
    fc.constant(late),
    fc.nat(255).map((status): LastStart => ({ kind: 'ended', status })),
  );
  fc.assert(
    fc.property(fc.array(outcome, { minLength: 4, maxLength: 4 }), (outcomes) => {
      let tried: TrialVersion | undefined = { ...trial, starts: 0 };
      let starts = 0;
      for (const one of outcomes) {
        const selection = selectVersion({ installed, current, trial: tried, outcome: one });
        if (selection.kind === 'try') {
          starts += 1;
          tried = selection.trial;
        } else if (selection.kind === 'back') tried = undefined;
        else expect(selection).toEqual({ kind: 'current', version: current.version });
      }
      expect(tried).toBeUndefined();
      expect(starts).toBeLessThanOrEqual(3);
    }),
  );
});
