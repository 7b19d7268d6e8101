import { scryptSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashPassword, verifyPassword } from './password.ts';

const salt = Buffer.alloc(16, 250);
const hashOf = (bytes: number) => scryptSync('right', salt, bytes, { N: 2, r: 1, p: 1 });
const stored = ({ name = 'scrypt', as = 'base64url', bytes = 32 }: StoredForm = {}) =>
  [name, 2, 1, 1, salt.toString(as), hashOf(bytes).toString(as)].join('$');

interface StoredForm {
  readonly name?: string;
  readonly as?: 'base64' | 'base64url';
  readonly bytes?: number;
}

test('a password fits its own text only, which has another salt each time', async () => {
  const [one, other] = await Promise.all([hashPassword('right'), hashPassword('right')]);
  expect(one).not.toBe(other);
  expect(one).toMatch(/^scrypt\$16384\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
  expect(await Promise.all([one, other].map((text) => verifyPassword('right', text)))).toEqual([true, true]);
  expect(await verifyPassword('Right', one)).toBe(false);
});

test.each([
  ['base64url', stored(), true],
  ['plain base64', stored({ as: 'base64' }), true],
  ['a hash of 16 bytes', stored({ bytes: 16 }), true],
  ['a hash that is too short', stored({ bytes: 15 }), false],
  ['another algorithm', stored({ name: 'bcrypt' }), false],
  ['no hash', stored().split('$').slice(0, 5).join('$'), false],
  ['no salt', 'scrypt$2$1$1', false],
  ['nothing', '', false],
])('a text of the form "%s" is compared with the password: %s %s', async (_form, text, isRight) => {
  expect(await verifyPassword('right', text)).toBe(isRight);
  expect(await verifyPassword('wrong', text)).toBe(false);
});
