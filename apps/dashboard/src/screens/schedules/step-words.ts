import type { Step } from '../../store/plan.ts';
import { scheduleTexts } from '../../texts/schedules.ts';
import { hoursText } from './draft.ts';

const { words } = scheduleTexts;

/** A step in words: `after 5 min: NOC; Mon–Fri 08:00–18:00; repeated every 60 min`. */
export function stepWords(step: Step, nameOf: (contactId: string) => string): string {
  const parts = [
    `${words.after(step.DelayMinutes)}: ${words.notifies(step.Contacts.map(nameOf))}`,
    hoursText(step),
    step.RepeatMinutes === undefined ? '' : words.repeated(step.RepeatMinutes),
    step.Severities === undefined ? '' : words.only(step.Severities),
  ];
  return parts.filter((part) => part !== '').join('; ');
}
