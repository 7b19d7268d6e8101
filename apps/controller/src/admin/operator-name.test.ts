import { expect, test } from 'vitest';
import { operatorName, thisOperator } from './operator-name.ts';

test.each([
  ['alice', undefined, 'command line (alice)'],
  ['root', 'alice', 'command line (alice as root)'],
  ['root', undefined, 'command line (root)'],
  ['root', 'root', 'command line (root)'],
  ['alice', 'mallory', 'command line (alice)'],
  ['root', 'x\n"}', 'command line (root)'],
  ['', undefined, 'command line (unknown user)'],
])('the operator %j after sudo by %j is %s', (user, sudoUser, name) => {
  expect(operatorName(user, sudoUser)).toBe(name);
});

test('the operator of this process has a name', () => {
  expect(thisOperator({})).toMatch(/^command line \([\w.@+-]+\)$/);
});
