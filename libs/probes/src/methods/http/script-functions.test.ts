import { expect, test } from 'vitest';
import { httpFunctions } from './script-functions.ts';

const json = { 'Content-Type': 'application/json' };
const own = { 'content-TYPE': 'application/ld+json' };

test.each([
  ['a text', { body: 'x', headers: { a: 'b' } }, { body: 'x', headers: { a: 'b' } }],
  ['none', { url: 'u' }, { url: 'u' }],
  ['null', { body: null }, { body: null }],
  ['an object', { body: { a: 1 } }, { body: '{"a":1}', headers: json }],
  ['a list', { body: [1], headers: { a: 'b' } }, { body: '[1]', headers: { a: 'b', ...json } }],
  ['an object with its own type', { body: {}, headers: own }, { body: '{}', headers: own }],
  ['an object beside headers that are none', { body: {}, headers: ['x'] }, { body: '{}', headers: json }],
  ['an object beside no headers', { body: {}, headers: null }, { body: '{}', headers: json }],
])('the body of a call of http(): %s', (_what, options, expected) => {
  expect(httpFunctions['http']?.prepare?.(options)).toEqual(expected);
});
