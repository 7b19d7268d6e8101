import type { Schemas } from '@vantage/client';
import { type Weekday, weekdays } from '../../model/week-hours.ts';
import type { Contact, Nschedule, Step } from '../../store/plan.ts';

export const severities = ['critical', 'warning', 'info'] as const;
export type Severity = (typeof severities)[number];

/** A step as its fields show it; '' and [] are not set. */
export interface StepDraft {
  /** It keeps its fields while others come and go. */
  readonly key: number;
  readonly delay: string;
  readonly contacts: readonly string[];
  readonly days: readonly Weekday[];
  readonly from: string;
  readonly to: string;
  readonly repeat: string;
  readonly severities: readonly Severity[];
}

/** A schedule as its form shows it. */
export interface ScheduleDraft {
  readonly name: string;
  readonly zone: string;
  readonly steps: readonly StepDraft[];
}

/** The step that a new one begins as. */
export function newStep(key: number, delay: string): StepDraft {
  return { key, delay, contacts: [], days: [], from: '', to: '', repeat: '', severities: [] };
}

/** The form of a schedule as it is stored. */
export function draftOf({
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

/** A number that is no number stays a text, so that the API says what is accepted. */
const numberOf = (text: string) => (/^\d+$/.test(text.trim()) ? Number(text) : text.trim());

/** The steps as the API takes them. */
export function stepsOf(draft: ScheduleDraft): Schemas['NotificationSchedulePreview']['Steps'] {
  const steps = draft.steps.map(({ delay, contacts, days, from, to, repeat, severities: chosen }) => ({
    DelayMinutes: numberOf(delay),
    Contacts: [...contacts],
    ...(days.length === 0 ? {} : { Days: weekdays.filter((day) => days.includes(day)) }),
    ...(from === '' ? {} : { From: from }),
    ...(to === '' ? {} : { To: to }),
    ...(repeat.trim() === '' ? {} : { RepeatMinutes: numberOf(repeat) }),
    ...(chosen.length === 0 ? {} : { Severities: severities.filter((each) => chosen.includes(each)) }),
  }));
  // The API judges the numbers.
  return steps as Schemas['NotificationSchedulePreview']['Steps'];
}

/** Whether two forms would store the same. */
export function isSame(one: ScheduleDraft, other: ScheduleDraft): boolean {
  const textOf = (draft: ScheduleDraft) => JSON.stringify([draft.name, draft.zone, stepsOf(draft)]);
  return textOf(one) === textOf(other);
}

/** Null and absent are not set. */
interface ShownHours {
  readonly Days?: readonly Weekday[] | null | undefined;
  readonly From?: string | null | undefined;
  readonly To?: string | null | undefined;
}

/** The hours of a step in few words: `Mon–Fri 08:00–18:00`; '' when there are none. */
export function hoursText({ Days: days, From: from, To: to }: ShownHours): string {
  const places = (days ?? []).map((day) => weekdays.indexOf(day)).sort((a, b) => a - b);
  const runs: [number, number][] = [];
  for (const place of places) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === place - 1) last[1] = place;
    else runs.push([place, place]);
  }
  const ofDays = runs.map(([first, last]) =>
    first === last
      ? weekdays[first]
      : `${weekdays[first]}${last === first + 1 ? ', ' : '–'}${weekdays[last]}`,
  );
  const hours = from == null && to == null ? '' : `${from ?? '00:00'}–${to ?? '24:00'}`;
  return [ofDays.join(', '), hours].filter((part) => part !== '').join(' ');
}

/** A schedule as it was read; without an id it is new. */
export interface Opened {
  readonly id: string | undefined;
  readonly stored: readonly Step[];
  readonly draft: ScheduleDraft;
  readonly etag: string | undefined;
  readonly contacts: readonly Contact[];
}
