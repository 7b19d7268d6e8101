import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFilter } from './ldap-filter.ts';

/** Bytes as the ldapsearch of OpenLDAP sends them for the same filters. */
test.each([
  ['(cn=Babs)', 'a30a0402636e040442616273'],
  ['(cn=*)', '8702636e'],
  ['(!(cn=a))', 'a209a3070402636e040161'],
  ['(&(a=b)(c=d))', 'a010a306040161040162a306040163040164'],
  ['(|(a=b))', 'a108a306040161040162'],
  ['(&)', 'a000'],
  ['(o=univ*of*mich*)', 'a41504016f30108004756e697681026f6681046d696368'],
  ['(o=*end)', 'a40a04016f30058203656e64'],
  ['(a>=5)', 'a506040161040135'],
  ['(a<=5)', 'a606040161040135'],
  ['(a~=5)', 'a806040161040135'],
  ['(o=\\28\\2a\\29)', 'a30804016f0403282a29'],
  ['(cn:dn:2.5.13.5:=x)', 'a9148108322e352e31332e358202636e8301788401ff'],
  ['(:2.5.13.5:=x)', 'a90d8108322e352e31332e35830178'],
])('%s', (text, hex) => {
  const reading = readFilter(text);
  expect(reading.ok ? reading.bytes.toString('hex') : reading.message).toBe(hex);
});

test.each([
  ['cn=a', 'a ( is missing at character 1'],
  ['(cn=a', 'a ) is missing'],
  ['(cn=a)x', 'something follows the filter at character 7'],
  ['(cn)', '"cn" is no comparison'],
  ['(=a)', '"" is no attribute'],
  ['(a=\\2)', 'two hexadecimal digits'],
  ['(a=**)', 'nothing but asterisks'],
  ['(a=(b)', 'must be escaped'],
  ['(a>=b*c)', 'must be escaped'],
  ['(&(a=b)', 'a ) is missing at character 8'],
  ['(::=x)', 'is no matching rule'],
  [`${'(!'.repeat(30)}(a=b)${')'.repeat(30)}`, 'more than 20 filters are nested'],
])('%s is refused', (text, message) => {
  expect(readFilter(text)).toEqual({ ok: false, message: expect.stringContaining(message) });
});

test('no text makes it throw', () => {
  const filterLike = fc.array(
    fc.constantFrom('(', ')', '&', '|', '!', '=', '*', '\\', '2a', 'cn', ':', '>'),
    {
      maxLength: 60,
    },
  );
  fc.assert(
    fc.property(filterLike, (parts) => {
      expect(readFilter(parts.join('')).ok).toBeTypeOf('boolean');
    }),
    { numRuns: propertyRuns(1000) },
  );
});
