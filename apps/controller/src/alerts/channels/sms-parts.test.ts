import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitSms, simplified, smsSize } from './sms-parts.ts';

test.each<[string, string, ReturnType<typeof smsSize>]>([
  ['160 letters', 'a'.repeat(160), { alphabet: 'GSM-7', units: 160, parts: 1 }],
  ['161 letters', 'a'.repeat(161), { alphabet: 'GSM-7', units: 161, parts: 2 }],
  ['459 letters', 'ä'.repeat(459), { alphabet: 'GSM-7', units: 459, parts: 3 }],
  ['a bracket takes two units', '['.repeat(80), { alphabet: 'GSM-7', units: 160, parts: 1 }],
  ['70 of UCS-2', '漢'.repeat(70), { alphabet: 'UCS-2', units: 70, parts: 1 }],
  ['71 of UCS-2', `${'a'.repeat(70)}漢`, { alphabet: 'UCS-2', units: 71, parts: 2 }],
  ['a pair of surrogates takes two units', '😀'.repeat(101), { alphabet: 'UCS-2', units: 202, parts: 4 }],
])('%s', (_, text, size) => {
  expect(smsSize(text)).toEqual(size);
});

test('marks of typesetters become those of the default alphabet, and nothing else changes', () => {
  expect(simplified('“web” – it’s Down…')).toBe('"web" - it\'s Down...');
  expect(simplified('漢 ä €')).toBe('漢 ä €');
});

test('a text that is too long ends after a word with an ellipsis, in the parts that it may have', () => {
  const text = 'device is Down '.repeat(60);
  const short = fitSms(text, 3);
  expect(smsSize(short).parts).toBe(3);
  expect(short).toMatch(/(?:device|is|Down)\.\.\.$/);
  expect(short.length).toBeGreaterThan(440);
});

test('whatever the text: at most the parts, a begin of the text, and as much of it as fits', () => {
  const texts = fc.oneof(
    fc.string({ maxLength: 900 }),
    fc.string({ unit: 'grapheme', maxLength: 400 }),
    fc.string({ unit: fc.constantFrom('a', ' ', '[', '漢', '😀'), maxLength: 900 }),
  );
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 3 }), (text, parts) => {
      const fitted = fitSms(text, parts);
      const simple = simplified(text).toWellFormed();
      expect(smsSize(fitted).parts).toBeLessThanOrEqual(parts);
      if (smsSize(simple).parts <= parts) expect(fitted).toBe(simple);
      else {
        const begin = Array.from(fitted.slice(0, -3));
        expect(simple.startsWith(begin.join(''))).toBe(true);
        // One word more, and something that is no space, would be too much.
        const rest = Array.from(simple.slice(begin.join('').length).trimStart())
          .slice(0, 40)
          .join('');
        const longer = `${begin.join('')} ${rest}...`;
        if (rest.length >= 40) expect(smsSize(longer).parts).toBeGreaterThan(parts);
      }
    }),
  );
});

test('a text is cut before its last word, but a word of 30 characters or more in its middle', () => {
  const before = 'a '.repeat(60);
  expect(fitSms(`${before}${'b'.repeat(200)}`, 1)).toBe(`${before}${'b'.repeat(37)}...`);
  expect(fitSms(`${'a '.repeat(70)}${'b'.repeat(200)}`, 1)).toBe(`${'a '.repeat(70).trimEnd()}...`);
});
