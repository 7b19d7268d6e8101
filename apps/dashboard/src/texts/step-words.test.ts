import { expect, test } from 'vitest';
import type { NotificationStep } from '../store/notification-schedules.ts';
import { stepWords } from './step-words.ts';

const names = new Map([
  ['a', 'NOC'],
  ['b', 'Ana Ruiz'],
]);
const nameOf = (id: string) => names.get(id) ?? '?';
const hours: Partial<NotificationStep> = { Days: ['Fri', 'Mon', 'Tue', 'Wed'], From: '08:00' };

test.each<[NotificationStep, string]>([
  [{ DelayMinutes: 0, Contacts: ['a', 'b'] }, 'at once: NOC, Ana Ruiz'],
  [{ DelayMinutes: 90, Contacts: ['a'], ...hours }, 'after 90 min: NOC; Mon–Wed, Fri 08:00–24:00'],
  [
    { DelayMinutes: 120, Contacts: ['b'], RepeatMinutes: 60, Severities: ['critical'] },
    'after 2 h: Ana Ruiz; repeated every 60 min; critical only',
  ],
])('the step %j in words', (step, words) => {
  expect(stepWords(step, nameOf).replaceAll('\u00a0', ' ')).toBe(words);
});
