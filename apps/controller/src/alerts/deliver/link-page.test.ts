import { expect, test } from 'vitest';
import { showPage } from './link-page.ts';

test('the page of a snooze offers its lengths in words, an hour first chosen', () => {
  const page = showPage({ title: 'Snooze web', lines: [], action: 'snooze' });
  expect(
    [...page.matchAll(/<option value="(\d+)"( selected)?>([^<]+)</g)].map((found) => found.slice(1)),
  ).toEqual([
    ['30', undefined, '30 minutes'],
    ['60', ' selected', '1 hour'],
    ['240', undefined, '4 hours'],
    ['480', undefined, '8 hours'],
    ['1440', undefined, '24 hours'],
  ]);
});

test('a page that has nothing to do has no button', () => {
  expect(showPage({ title: 'Over', lines: ['<b>'], action: null })).not.toContain('<button>');
  expect(showPage({ title: 'Over', lines: ['<b>'], action: null })).toContain('<p>&lt;b&gt;</p>');
});
