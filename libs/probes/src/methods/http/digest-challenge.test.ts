import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readChallenges } from './digest-challenge.ts';

const shown = (header: string) =>
  readChallenges(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);

describe('the challenges of WWW-Authenticate', () => {
  test.each([
    ['Basic realm="a"', [['basic', { realm: 'a' }]]],
    [
      'Basic realm="a, b=c", Digest nonce = "x\\"y" , qop="auth,auth-int"',
      [
        ['basic', { realm: 'a, b=c' }],
        ['digest', { nonce: 'x"y', qop: 'auth,auth-int' }],
      ],
    ],
    [
      'Negotiate, NTLM TlRMTVNTUAAC==, Digest realm=r,nonce=n',
      [
        ['negotiate', {}],
        ['ntlm', { tlrmtvntuaac: '=' }],
        ['digest', { realm: 'r', nonce: 'n' }],
      ],
    ],
    ['Digest nonce=a, NONCE=b', [['digest', { nonce: 'a' }]]],
    ['nonce=lost, Digest', [['digest', {}]]],
    [
      'Digest realm="never ends',
      [
        ['digest', { realm: '"never' }],
        ['ends', {}],
      ],
    ],
    ['', []],
  ])('%s', (header, expected) => {
    expect(shown(header)).toEqual(expected);
  });

  test('any text is read, and its challenges are bounded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 300 }), (header) => {
        expect(readChallenges(header).length).toBeLessThanOrEqual(20);
      }),
    );
    expect(readChallenges('a '.repeat(30_000)).length).toBe(20);
    expect(readChallenges(`Digest a="${'\\'.repeat(60_000)}`)).toHaveLength(1);
  });
});
