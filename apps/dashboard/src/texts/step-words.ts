import { hoursText } from '../model/step-hours.ts';
import type { NotificationStep } from '../store/notification-schedules.ts';

/** Texts about the steps of notification schedules, on several screens. */
export const stepTexts = {
  after: (minutes: number) => {
    if (minutes === 0) return 'at once';
    return minutes % 60 === 0 ? `after ${minutes / 60}\u00a0h` : `after ${minutes}\u00a0min`;
  },
  repeated: (minutes: number) => `repeated every ${minutes}\u00a0min`,
  only: (severities: readonly string[]) => `${severities.join(' and ')} only`,
  allDay: 'all day',
  gone: 'a deleted contact',
} as const;

/** A step in words: `after 5 min: NOC; Mon–Fri 08:00–18:00; repeated every 60 min`. */
export function stepWords(step: NotificationStep, nameOf: (contactId: string) => string): string {
  const parts = [
    `${stepTexts.after(step.DelayMinutes)}: ${step.Contacts.map(nameOf).join(', ')}`,
    hoursText(step),
    step.RepeatMinutes === undefined ? '' : stepTexts.repeated(step.RepeatMinutes),
    step.Severities === undefined ? '' : stepTexts.only(step.Severities),
  ];
  return parts.filter((part) => part !== '').join('; ');
}
