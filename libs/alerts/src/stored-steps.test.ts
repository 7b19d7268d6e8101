import { expect, test } from 'vitest';
import { parseSteps } from './stored-steps.ts';

test('what a stored step does not set is null, and what it sets is read as it is', () => {
  const full = { Days: ['Sun'], From: '22:00', To: '06:30', RepeatMinutes: 15, Severities: ['critical'] };
  expect(
    parseSteps([
      { DelayMinutes: 0, Contacts: ['a'] },
      { DelayMinutes: 5, Contacts: [], ...full },
    ]),
  ).toEqual([
    {
      delayMinutes: 0,
      contactIds: ['a'],
      days: null,
      from: null,
      to: null,
      repeatMinutes: null,
      severities: null,
    },
    {
      delayMinutes: 5,
      contactIds: [],
      days: ['Sun'],
      from: '22:00',
      to: '06:30',
      repeatMinutes: 15,
      severities: ['critical'],
    },
  ]);
});

test.each([
  [{}],
  [[{ DelayMinutes: -1, Contacts: [] }]],
  [[{ DelayMinutes: 0, Contacts: [], From: '24:00' }]],
])('steps of another form are refused: %j', (stored) => expect(() => parseSteps(stored)).toThrow());
