import { compareVersions } from '@vantage/domain';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideUpgrade } from './decide-upgrade.ts';

const now = { running: '1.2.0', previous: '1.1.0', isOnTrial: false };

test.each([
  ['a newer version', { requested: '1.3.0' }, 'download'],
  ['a version that is newer by number only', { requested: '1.10.0' }, 'download'],
  ['the running version', { requested: '1.2.0' }, 'none'],
  ['the version that ran before', { requested: '1.1.0' }, 'switch'],
  ['an older version', { requested: '1.0.0' }, 'refuse'],
  ['the older version of a host that has only one', { requested: '1.1.0', previous: undefined }, 'refuse'],
  ['a newer version while one is on trial', { requested: '1.3.0', isOnTrial: true }, 'refuse'],
  ['a path', { requested: '../1.3.0' }, 'refuse'],
])('%s', (_, request, kind) => {
  expect(decideUpgrade({ ...now, ...request }).kind).toBe(kind);
});

test('whatever a controller asks for, an agent never runs an older version than the one that ran before', () => {
  const version = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(12)).map((numbers) => numbers.join('.'));
  fc.assert(
    fc.property(fc.array(version, { maxLength: 20 }), (requests) => {
      let [running, previous]: [string, string | undefined] = ['1.1.1', undefined];
      let floor = running;
      for (const requested of requests) {
        const { kind } = decideUpgrade({ requested, running, previous, isOnTrial: false });
        if (kind !== 'switch' && kind !== 'download') continue;
        if (kind === 'download') floor = running;
        [running, previous] = [requested, running];
        expect(compareVersions(running, floor)).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});
