import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ChecklistFacts, checklistOf, notifiedFacts, stepNames } from './checklist.ts';

const nowMs = 1_790_000_000_000;
const dayMs = 86_400_000;
const nothing: ChecklistFacts = {
  devices: 0,
  onlineLocations: 1,
  notified: { reached: [], withoutMail: [] },
  people: { accepted: 0, invited: 1 },
  pages: 0,
  backup: { madeMs: null, maxDays: 2 },
};
const all: ChecklistFacts = {
  devices: 1,
  onlineLocations: 2,
  notified: { reached: ['Ada'], withoutMail: [] },
  people: { accepted: 1, invited: 0 },
  pages: 1,
  backup: { madeMs: nowMs - dayMs, maxDays: 2 },
};
const doneOf = (facts: ChecklistFacts) =>
  checklistOf(facts, nowMs)
    .filter(({ isDone }) => isDone)
    .map(({ name }) => name);

test('a new account has all steps open, an account with everything has none', () => {
  expect(checklistOf(nothing, nowMs).map(({ name }) => name)).toEqual(stepNames);
  expect(doneOf(nothing)).toEqual([]);
  expect(doneOf(all)).toEqual(stepNames);
});

test('each fact decides its step alone, also when it stops being true', () => {
  const facts = {
    watch: ['devices'],
    notify: ['notified'],
    invite: ['people'],
    location: ['onlineLocations'],
    page: ['pages'],
    backup: ['backup'],
  } as const;
  fc.assert(
    fc.property(fc.subarray([...stepNames]), (chosen) => {
      const keys = chosen.flatMap((name) => facts[name]);
      const some = Object.fromEntries(keys.map((key) => [key, all[key]]));
      expect(doneOf({ ...nothing, ...some })).toEqual(chosen);
    }),
  );
});

test('a step whose fact the session may not see is left out', () => {
  const limited = { ...nothing, notified: undefined, people: undefined, pages: undefined, backup: undefined };
  expect(checklistOf(limited, nowMs).map(({ name }) => name)).toEqual(['watch', 'location']);
});

test.each([
  ['none was made', { madeMs: null, maxDays: 2 }, false],
  ['none was made, and other means are used', { madeMs: null, maxDays: 0 }, true],
  ['it is fresh', { madeMs: nowMs - dayMs, maxDays: 2 }, true],
  ['it is too old', { madeMs: nowMs - 3 * dayMs, maxDays: 2 }, false],
  ['no age is checked here', { madeMs: nowMs - 300 * dayMs, maxDays: null }, true],
])('a backup, if %s', (_, backup, isDone) => {
  expect(doneOf({ ...nothing, backup }).includes('backup')).toBe(isDone);
});

const schedules = [
  { nschedule_id: 'a', Steps: [{ Contacts: ['mail', 'chat'] }, { Contacts: ['mail', 'quiet'] }] },
  { nschedule_id: 'b', Steps: [] },
];
const contacts = [
  { contact_id: 'mail', Name: 'Ada', Type: 'email', Shadow: false },
  { contact_id: 'chat', Name: 'NOC', Type: 'slack', Shadow: false },
  { contact_id: 'quiet', Name: 'Test', Type: 'slack', Shadow: true },
  { contact_id: 'free', Name: 'Nobody', Type: 'slack', Shadow: false },
];

test('people are those of the default schedule who get messages', () => {
  expect(notifiedFacts('a', schedules, contacts, true)).toEqual({ reached: ['Ada', 'NOC'], withoutMail: [] });
  expect(notifiedFacts('a', schedules, contacts, undefined).reached).toEqual(['Ada', 'NOC']);
  expect(notifiedFacts('a', schedules, contacts, false)).toEqual({ reached: ['NOC'], withoutMail: ['Ada'] });
  for (const id of ['b', null, 'gone'])
    expect(notifiedFacts(id, schedules, contacts, true)).toEqual({ reached: [], withoutMail: [] });
});
