import { expect, test } from 'vitest';
import { expiringFactIn } from './expiring-facts.ts';

const atMs = Date.UTC(2027, 0, 1);
const at = new Date(atMs).toISOString();

test.each([
  [{ Certificate: { NotAfter: at } }, { what: 'certificate', notAfterUs: atMs * 1000 }],
  [{ Domain: { Name: 'a.example', Expires: at } }, { what: 'domain', notAfterUs: atMs * 1000 }],
  [{ Domain: { Expires: null } }, undefined],
  [{ Certificate: 'not available' }, undefined],
  [{ Certificate: { NotAfter: 'soon' } }, undefined],
  [{ Other: '"Certificate"' }, undefined],
  [{ Body: { Certificate: { NotAfter: at } } }, undefined],
])('%j has %j', (extended, expected) => {
  expect(expiringFactIn({ extended: JSON.stringify(extended) })).toEqual(expected);
});

test('a check without extended data has none', () => {
  expect(expiringFactIn({ extended: null })).toBeUndefined();
});
