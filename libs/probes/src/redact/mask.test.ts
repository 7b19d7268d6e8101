import { escapeHtml } from '@vantage/kernel';
import { anyCharacter } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printable } from '../contract/display.ts';
import { createMask } from './mask.ts';

const secret = 'Pa5s w/ö"<r&d>\\+\'x';
const mask = createMask([secret]);
const bytes = Buffer.from(secret);

describe.each<[string, (text: string) => string]>([
  ['as it stands', (text) => text],
  ['in capitals', (text) => text.toUpperCase()],
  ['in small letters', (text) => text.toLowerCase()],
  ['in percents', encodeURIComponent],
  ['in percents twice', (text) => encodeURIComponent(encodeURIComponent(text))],
  ['in percents as a path', (text) => encodeURI(text)],
  ['in percents in small letters', (text) => encodeURIComponent(text).toLowerCase()],
  ['in a form', (text) => new URLSearchParams({ p: text }).toString().slice(2)],
  ['in JSON', (text) => JSON.stringify(text).slice(1, -1)],
  ['in JSON in JSON', (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3)],
  ['in HTML', escapeHtml],
  [
    'in HTML with numbers',
    (text) => text.replace(/[^a-z0-9]/gi, (each) => `&#x${each.charCodeAt(0).toString(16)};`),
  ],
  ['in UTF-8 read as Latin-1', (text) => Buffer.from(text).toString('latin1')],
  ['in a transcript', (text) => printable(Buffer.from(text).toString('latin1'))],
  ['in Base64', (text) => Buffer.from(text).toString('base64')],
  ['in Base64 for URLs', (text) => Buffer.from(text).toString('base64url')],
  ['in hex', (text) => Buffer.from(text).toString('hex').toUpperCase()],
])('%s', (_how, form) => {
  test('a secret is masked', () => {
    expect(mask.text(`before ${form(secret)} after`)).toBe('before *** after');
  });
});

test.each(['\0user\0', 'user:', 'a', 'ab', 'abc'])(
  'Base64 of %j with the secret behind it shows nothing of it',
  (before) => {
    for (const after of ['', 'z', 'zz', 'zzz']) {
      const shown = mask.text(
        Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]).toString('base64'),
      );
      const left = Buffer.from(shown.split('***')[0] ?? '', 'base64').toString();
      expect(shown).toContain('***');
      expect(before.startsWith(left.slice(0, before.length)), left).toBe(true);
    }
  },
);

test('a secret is masked up to where its text was cut off', () => {
  for (let kept = 4; kept < secret.length; kept += 1) {
    const cut = secret.slice(0, kept);
    expect(mask.text(`expected 220, got "535 no: ${cut}…" and more`)).toBe(
      'expected 220, got "535 no: ***…" and more',
    );
    expect(mask.text(`${'.'.repeat(200)}${cut}`)).toBe(`${'.'.repeat(200)}***`);
  }
  expect(mask.text('a short text that ends with Pa5s')).toBe('a short text that ends with Pa5s');
});

test('keys of several lines are masked whole, flattened and line by line', () => {
  const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC';
  const key = `-----BEGIN PRIVATE KEY-----\n${line}\nAb+/\n-----END PRIVATE KEY-----\n`;
  const keys = createMask([key]);
  expect(keys.text(`x ${key} y`)).toBe('x *** y');
  expect(keys.text(JSON.stringify({ key }))).toBe('{"key":"***"}');
  expect(keys.text(`first ${line}, then`)).toBe('first ***, then');
});

test('names are masked too, and what is no text stays', () => {
  expect(mask.json({ [`k ${secret}`]: [secret, 5, null, true, { a: secret }] })).toEqual({
    'k ***': ['***', 5, null, true, { a: '***' }],
  });
});

test('whatever a secret is, it does not show, and a text without it is not touched', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: anyCharacter, minLength: 3, maxLength: 40 }).map((each) => each.toWellFormed()),
      fc.constantFrom(
        (text: string) => text,
        encodeURIComponent,
        (text: string) => JSON.stringify(text).slice(1, -1),
        (text: string) => Buffer.from(text).toString('base64'),
        (text: string) => Buffer.from(text).toString('hex'),
        (text: string) => printable(Buffer.from(text).toString('latin1')),
      ),
      (any, form) => {
        const own = createMask([any]);
        const shown = own.text(`<<${form(any)}>>`);
        expect(shown).toContain('***');
        expect(own.text('7#7#7#7')).toBe(any.toLowerCase().includes('7') ? own.text('7#7#7#7') : '7#7#7#7');
      },
    ),
    { numRuns: 2000 },
  );
});

test('texts of a hostile length are masked in time', () => {
  const long = createMask(['a'.repeat(900), `${'\\"'.repeat(300)}x`, '%25'.repeat(200)]);
  for (const text of ['a'.repeat(65_536), '\\'.repeat(65_536), '%25'.repeat(20_000), '\\"'.repeat(30_000)]) {
    const from = performance.now();
    long.text(text);
    expect(performance.now() - from).toBeLessThan(20_000);
  }
});
