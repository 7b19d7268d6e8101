// biome-ignore-all lint/suspicious/noTemplateCurlyInString: steps and references are written so
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { httpOptions } from './http-options.ts';
import { requestOfStep } from './step-request.ts';

const shared = {
  base: new URL('https://w.example/start?a=1'),
  headers: {},
  digest: undefined,
  cookies: undefined,
  secrets: [],
};

function requestOf(step: object, values: Readonly<Record<string, string>>) {
  const extract = Object.keys(values).map((Name) => ({ Name, Header: 'X' }));
  const { Steps } = httpOptions.parse({
    Steps: [
      { Name: 'a', Extract: extract },
      { Name: 'b', ...step },
    ],
  });
  const [, parsed] = Steps;
  if (parsed === undefined) throw new Error('no step');
  return requestOfStep(parsed, shared, new Map(Object.entries(values))).request;
}

describe('the request of a step', () => {
  test.each([
    [undefined, {}, 'https://w.example/start?a=1'],
    ['/b', {}, 'https://w.example/b'],
    ['?b', {}, 'https://w.example/start?b'],
    ['${x}', { x: 'https://o.example/y?z=1' }, 'https://o.example/y?z=1'],
    ['${x}', { x: ' /y?z=1#f ' }, 'https://w.example/y?z=1'],
    ['${x}/y', { x: 'https://o.example' }, 'https://o.example/y'],
    ['/${x}', { x: '../../a/b?c#d' }, 'https://w.example/..%2F..%2Fa%2Fb%3Fc%23d'],
    ['/?q=${x}', { x: 'a&b=c' }, 'https://w.example/?q=a%26b%3Dc'],
    ['/${x}', { x: '${y}', y: 'no' }, 'https://w.example/%24%7By%7D'],
  ])('%s with %j leads to %s', (URL, values, expected) => {
    expect(requestOf(URL === undefined ? {} : { URL }, values).url.href).toBe(expected);
  });

  test.each([
    ['${x}', { x: 'ftp://o.example/' }, /this|begin|accepted/],
    ['${x}', { x: 'javascript:alert(1)' }, /not accepted/],
    ['https://${x}/', { x: 'a/b' }, /not accepted/],
    ['https://${x}/', { x: 'evil.example#' }, /not accepted/],
    ['/${x}/evil.example', { x: '' }, /leads to another host/],
  ])('%s with %j is refused', (URL, values, message) => {
    expect(() => requestOf({ URL }, values)).toThrow(message);
  });

  test.each([
    ['application/x-www-form-urlencoded', 'a b&c="', 'v=a%20b%26c%3D%22'],
    ['application/json; charset=utf-8', 'a"b\\\n', 'v=a\\"b\\\\\\n'],
    ['application/problem+json', '"', 'v=\\"'],
    ['text/plain', 'a"b&', 'v=a"b&'],
  ])('a body of %s escapes its values', (type, x, body) => {
    const step = { Method: 'POST', Headers: { 'content-type': type }, Body: 'v=${x}' };
    expect(requestOf(step, { x }).body).toBe(body);
  });

  test('a value in a header is one line', () => {
    expect(requestOf({ Headers: { A: 'is ${x}' } }, { x: 'é' }).headers).toEqual({ A: 'is é' });
    for (const x of ['a\r\nEvil: 1', 'a\nb', '\0', '€'])
      expect(() => requestOf({ Headers: { A: '${x}' } }, { x })).toThrow(
        'a value does not fit into header A',
      );
  });

  test('whatever an answer holds, a fixed origin stays', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.constantFrom('/${x}', '/a?b=${x}', 'https://o.example/${x}', 'https://o.example?${x}', '?${x}'),
        (x, URL) => {
          const { origin } = requestOf({ URL }, { x }).url;
          expect(origin).toBe(URL.startsWith('https') ? 'https://o.example' : 'https://w.example');
        },
      ),
    );
  });

  test('a body grows to at most 256 KiB', () => {
    const step = { Method: 'POST', Body: '${x}'.repeat(50) };
    expect(() => requestOf(step, { x: 'y'.repeat(8192) })).toThrow('over 256 KiB');
  });
});
