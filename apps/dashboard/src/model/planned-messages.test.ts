import type { Schemas } from '@vantage/client';
import { expect, test } from 'vitest';
import { plannedMessages } from './planned-messages.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 1, 25, 10, minute)).toISOString();
const message = (minute: number, step: number, Repeat = false): Schemas['PreviewedMessage'] => ({
  Timestamp: at(minute),
  Steps: [step],
  Repeat,
  Contacts: [{ contact_id: 'c', Name: `contact ${step}` }],
  NotNotified: [],
  Text: '',
});
const preview = [message(0, 1), message(10, 1, true), message(20, 2), message(30, 3)];
type StoryAlert = Parameters<typeof plannedMessages>[0];
const alert: StoryAlert = { State: 'Open', SnoozedUntil: null, Notifications: [] };
const sent = (Step: number) => ({ Step }) as Schemas['Alert']['Notifications'][number];
const minutesOf = (given: Partial<StoryAlert>, now = 5) =>
  plannedMessages({ ...alert, ...given }, preview, Date.parse(at(now))).map((planned) => [
    new Date(planned.at).getUTCMinutes(),
    planned.steps[0],
  ]);

test('what is later and was not sent is planned', () => {
  expect(minutesOf({})).toEqual([
    [10, 1],
    [20, 2],
    [30, 3],
  ]);
  // A step that was sent repeats, but is not sent for the first time again.
  expect(minutesOf({ Notifications: [sent(1), sent(2)] })).toEqual([
    [10, 1],
    [30, 3],
  ]);
  expect(minutesOf({}, 31)).toEqual([]);
});

test('who acknowledged it ends all steps, and a snooze delays them', () => {
  expect(minutesOf({ State: 'Acknowledged' })).toEqual([]);
  expect(minutesOf({ State: 'Closed' })).toEqual([]);
  expect(minutesOf({ State: 'Snoozed', SnoozedUntil: at(25) })).toEqual([
    [25, 1],
    [25, 2],
    [30, 3],
  ]);
});
