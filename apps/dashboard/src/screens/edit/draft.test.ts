import { expect, test } from 'vitest';
import { bodyOf, newDraft, trialOf } from './draft.ts';

const draft = { ...newDraft('https://www.example.org/shop'), tags: 'berlin/rack-3' };

test('a trial has the settings of the draft, without what is not there yet', () => {
  const { Tags, ...settings } = bodyOf(draft);
  expect(Tags).toEqual(['berlin/rack-3']);
  expect(trialOf(draft, '')).toEqual(settings);
  expect(trialOf({ ...draft, shortName: ' ' }, '')).not.toHaveProperty('ShortName');
});

test.each([
  [{ locations: undefined }, '', undefined],
  [{ locations: ['Oslo', 'Rome'] }, '', 'Oslo'],
  [{ locations: ['Oslo', 'Rome'] }, 'Rome', 'Rome'],
  [{ locations: undefined }, 'Rome', 'Rome'],
])('with %j it is tried from "%s" at %s', (change, from, location) => {
  const body = trialOf({ ...draft, ...change }, from);
  expect(body['Location']).toBe(location);
  expect(body).not.toHaveProperty('Locations');
});

test.each([
  ['', undefined],
  ['7', 7],
  ['120', 30],
  ['soon', 'soon'],
])('Timeout "%s" is tried with %j', (timeout, tried) => {
  expect(trialOf({ ...draft, timeout }, '')['Timeout']).toBe(tried);
});
