import { describe, expect, test } from 'vitest';
import { CookieJar } from './cookie-jar.ts';

function jarWith(url: string, ...headers: readonly string[]) {
  const redacted: string[] = [];
  const jar = new CookieJar((value) => void redacted.push(value));
  jar.take(new URL(url), headers);
  return { jar, redacted, sent: (to: string) => jar.header(new URL(to)) };
}

describe('cookies of a check', () => {
  test.each([
    ['a=1', 'https://w.example/x', 'a=1'],
    ['a=1', 'http://w.example:8080/', 'a=1'],
    ['a=1', 'https://other.example/', undefined],
    ['a=1', 'https://sub.w.example/', undefined],
    ['a=1; Secure', 'http://w.example/', undefined],
    ['a=1; Secure', 'https://w.example/', 'a=1'],
    ['a=1; Domain=w.example', 'https://sub.w.example/', 'a=1'],
    ['a=1; Domain=.example', 'https://w.example/', undefined],
    ['a=1; Domain=example', 'https://x.example/', undefined],
    ['a=1; Domain=evil.example', 'https://evil.example/', undefined],
    ['a=1; Path=/x', 'https://w.example/x/y', 'a=1'],
    ['a=1; Path=/x', 'https://w.example/xy', undefined],
    ['a=1; Max-Age=0', 'https://w.example/', undefined],
    ['a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'https://w.example/', 'a=1'],
    ['a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'https://w.example/', undefined],
    ['a=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT', 'https://w.example/', 'a=1'],
    ['=1', 'https://w.example/', undefined],
    ['no pair', 'https://w.example/', undefined],
    ['a="q=1"', 'https://w.example/', 'a="q=1"'],
  ])('%s, to %s: %s', (header, to, expected) => {
    expect(jarWith('https://w.example/', header).sent(to)).toBe(expected);
  });

  test('without a Path, a cookie is for the folder of the request', () => {
    const { sent } = jarWith('https://w.example/a/login', 'a=1');
    expect([sent('https://w.example/a/b'), sent('https://w.example/b')]).toEqual(['a=1', undefined]);
  });

  test('a later cookie replaces an earlier one, and longer paths come first', () => {
    const { jar, sent } = jarWith('https://w.example/', 'a=1', 'b=2; Path=/x', 'a=3');
    expect(sent('https://w.example/x')).toBe('b=2; a=3');
    expect([jar.valueOf('a'), jar.valueOf('none')]).toEqual(['3', undefined]);
    jar.take(new URL('https://w.example/'), ['a=; Max-Age=-1']);
    expect(jar.valueOf('a')).toBeUndefined();
  });

  test('an address sets no cookie for others', () => {
    expect(jarWith('http://10.0.0.1/', 'a=1; Domain=0.0.1').sent('http://10.0.0.1/')).toBeUndefined();
  });

  test('values of 8 characters and more are secrets', () => {
    expect(jarWith('https://w.example/', 'a=short', 'b=longer-one').redacted).toEqual(['longer-one']);
  });

  test('number and size are bounded', () => {
    const many = Array.from({ length: 200 }, (_, at) => `c${at}=${'x'.repeat(2000)}`);
    const { jar, sent } = jarWith('https://w.example/', ...many, `big=${'y'.repeat(5000)}`);
    for (let round = 0; round < 5; round += 1)
      jar.take(new URL('https://w.example/'), many.slice(round * 50));
    expect(jar.valueOf('big')).toBeUndefined();
    expect(jar.valueOf('c60')).toBeUndefined();
    expect(sent('https://w.example/')?.length).toBeLessThanOrEqual(16 * 1024);
  });
});
