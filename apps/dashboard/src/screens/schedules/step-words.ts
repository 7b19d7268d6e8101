import type { NotificationStep } from '../../store/notification-schedules.ts';
import { hoursText } from './schedule-draft.ts';
import { scheduleTexts } from './schedule-texts.ts';

const { words } = scheduleTexts;

/** A step in words: `after 5 min: NOC; Mon–Fri 08:00–18:00; repeated every 60 min`. */
export function stepWords(step: NotificationStep, nameOf: (contactId: string) => string): string {
  const parts = [
    `${words.after(step.DelayMinutes)}: ${step.Contacts.map(nameOf).join(', ')}`,
    hoursText(step),
    step.RepeatMinutes === undefined ? '' : words.repeated(step.RepeatMinutes),
    step.Severities === undefined ? '' : words.only(step.Severities),
  ];
  return parts.filter((part) => part !== '').join('; ');
}
