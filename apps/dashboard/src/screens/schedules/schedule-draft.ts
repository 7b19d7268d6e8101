import type { Schemas } from '@vantage/client';
import type { Severity } from '@vantage/domain';
import { severityChoices } from '../../model/severity-choices.ts';
import { type DayName, weekdays } from '../../model/week-hours.ts';
import type { NotificationContact, NotificationStep, Nschedule } from '../../store/notification-schedules.ts';

/** The form of a step; '' and [] are not set. */
export interface StepDraft {
  /** Identifies the step while others are added and removed. */
  readonly key: number;
  readonly delay: string;
  readonly contacts: readonly string[];
  readonly days: readonly DayName[];
  readonly from: string;
  readonly to: string;
  readonly repeat: string;
  readonly severities: readonly Severity[];
}

/** The form of a notification schedule. */
export interface ScheduleDraft {
  readonly name: string;
  readonly zone: string;
  readonly steps: readonly StepDraft[];
}

/** The form of a new step. */
export function newStep(key: number, delay: string): StepDraft {
  return { key, delay, contacts: [], days: [], from: '', to: '', repeat: '', severities: [] };
}

/** The form of a stored schedule. */
export function scheduleDraft({
  Name,
  Timezone,
  Steps,
}: Pick<Nschedule, 'Name' | 'Timezone' | 'Steps'>): ScheduleDraft {
  return {
    name: Name,
    zone: Timezone,
    steps: Steps.map((step, key) => ({
      key,
      delay: String(step.DelayMinutes),
      contacts: step.Contacts,
      days: step.Days ?? [],
      from: step.From ?? '',
      to: step.To ?? '',
      repeat: step.RepeatMinutes === undefined ? '' : String(step.RepeatMinutes),
      severities: step.Severities ?? [],
    })),
  };
}

/** An invalid number stays a text, so that the API explains what it accepts. */
const numberOf = (text: string) => (/^\d+$/.test(text.trim()) ? Number(text) : text.trim());

/** The steps in the format of the API. */
export function stepsOf(draft: ScheduleDraft): Schemas['NotificationSchedulePreview']['Steps'] {
  const steps = draft.steps.map(({ delay, contacts, days, from, to, repeat, severities: chosen }) => ({
    DelayMinutes: numberOf(delay),
    Contacts: [...contacts],
    ...(days.length === 0 ? {} : { Days: weekdays.filter((day) => days.includes(day)) }),
    ...(from === '' ? {} : { From: from }),
    ...(to === '' ? {} : { To: to }),
    ...(repeat.trim() === '' ? {} : { RepeatMinutes: numberOf(repeat) }),
    ...(chosen.length === 0
      ? {}
      : { Severities: severityChoices.filter((severity) => chosen.includes(severity)) }),
  }));
  // The API validates the numbers.
  return steps as Schemas['NotificationSchedulePreview']['Steps'];
}

/** Whether two forms would store the same schedule. */
export function isSameSchedule(a: ScheduleDraft, b: ScheduleDraft): boolean {
  const textOf = (draft: ScheduleDraft) => JSON.stringify([draft.name, draft.zone, stepsOf(draft)]);
  return textOf(a) === textOf(b);
}

/** A schedule as it was read. A new one has no id. */
export interface OpenedSchedule {
  readonly id: string | undefined;
  readonly stored: readonly NotificationStep[];
  readonly draft: ScheduleDraft;
  readonly etag: string | undefined;
  readonly contacts: readonly NotificationContact[];
}
