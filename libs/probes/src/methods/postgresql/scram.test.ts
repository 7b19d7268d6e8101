import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clientFirst, preparedPassword, proveScram, readChallenge } from './scram.ts';

// The example of RFC 7677 section 3.
const nonce = 'rOprNGfwEbeRWgbNEkqO';
const serverFirst = 'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096';

test('the example of RFC 7677', async () => {
  const first = clientFirst(nonce, 'user');
  expect(first).toBe('n,,n=user,r=rOprNGfwEbeRWgbNEkqO');
  const challenge = readChallenge(serverFirst, nonce) ?? expect.fail('no challenge');
  const proof = await proveScram({ password: 'pencil', clientFirst: first, serverFirst, challenge });
  expect(proof.message).toBe(
    'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=',
  );
  expect(proof.isGenuine('v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=')).toBe(true);
  expect(proof.isGenuine('v=7rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=')).toBe(false);
  expect(proof.isGenuine('e=invalid-proof')).toBe(false);
});

test.each([
  ['', 'empty'],
  [serverFirst.replace('rOprN', 'xOprN'), 'another nonce'],
  [`r=${nonce},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096`, 'nothing added to the nonce'],
  [serverFirst.replace('4096', '0'), 'no rounds'],
  [serverFirst.replace('4096', '99999999999'), 'too many digits'],
  [serverFirst.replace('W22ZaJ0SNY7soEsUEjb6gQ==', ''), 'no salt'],
  [serverFirst.replace('W22ZaJ0SNY7soEsUEjb6gQ==', 'A'.repeat(1600)), 'a long salt'],
  [`m=x,${serverFirst}`, 'an extension'],
])('the challenge %j is refused: %s', (message) => {
  expect(readChallenge(message, nonce)).toBeUndefined();
});

test('any text is a challenge or is refused', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(readChallenge(text, nonce)).toBeUndefined();
    }),
    { numRuns: propertyRuns(300) },
  );
});

test('a password is prepared as SASLprep does', () => {
  expect(preparedPassword('pencil')).toBe('pencil');
  expect(preparedPassword('I\u00adX')).toBe('IX');
  expect(preparedPassword('\u00aa')).toBe('a');
  expect(preparedPassword('\u2168')).toBe('IX');
  expect(preparedPassword('a\u00a0b')).toBe('a b');
});
