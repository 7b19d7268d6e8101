import { describe, expect, it } from 'vitest';
import { cleanLine, isPlainLine } from './plain-line.ts';

describe('a text for people', () => {
  it.each(['Web shop, Berlin', 'Größe: 5 µm; 東京; שלום; 👩‍💻', '', '<b>&"'])(
    '%j is a plain line and is shown as it is',
    (text) => {
      expect(isPlainLine(text)).toBe(true);
      expect(cleanLine(text)).toBe(text);
    },
  );

  it.each([
    ['two\nlines', 'two lines'],
    ['two\r\n\r\nlines', 'two lines'],
    ['tab\there', 'tab here'],
    ['a\u2028b\u2029c\u0085d', 'a b c d'],
    ['bell\u0007 \u001b[31mred\u007f', 'bell [31mred'],
    ['evil\u202Etxt.exe', 'eviltxt.exe'],
    ['\u2066a\u2069\u200Eb\u200Fc\u061Cd', 'abcd'],
  ])('%j is refused, and shown as %j where it is stored', (text, shown) => {
    expect(isPlainLine(text)).toBe(false);
    expect(cleanLine(text)).toBe(shown);
  });
});
