import { expect, test } from 'vitest';
import { quoteShort, showPeer, showSeconds } from './display.ts';

test('peers, seconds and quotations are shown briefly', () => {
  expect([showPeer('10.0.0.1', 25), showPeer('2001:db8::1', 25), showPeer('10.0.0.1', 0)]).toEqual([
    '10.0.0.1:25',
    '[2001:db8::1]:25',
    '10.0.0.1',
  ]);
  expect([showSeconds(5000), showSeconds(250)]).toEqual(['5 s', '0.25 s']);
  expect(quoteShort(`a\tb${'c'.repeat(200)}`, 10)).toBe('"a\\tbcccccc…"');
});
