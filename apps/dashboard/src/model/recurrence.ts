import { type DayName, weekdays } from './week-hours.ts';

/** A rule of recurrence in a form. `rule` is the text of a rule that the form has no fields for. */
export interface Recurrence {
  readonly kind: 'once' | 'daily' | 'weekly' | 'monthly' | 'rule';
  readonly days: readonly DayName[];
  readonly dayOfMonth: string;
  readonly rule: string;
}

const codes: Readonly<Record<DayName, string>> = {
  Mon: 'MO',
  Tue: 'TU',
  Wed: 'WE',
  Thu: 'TH',
  Fri: 'FR',
  Sat: 'SA',
  Sun: 'SU',
};

const empty = { days: [], dayOfMonth: '', rule: '' };

/** Parses a rule of RFC 5545. A rule that the form has no fields for stays a text. */
export function recurrenceOf(rule: string | null): Recurrence {
  if (rule === null) return { kind: 'once', ...empty };
  if (rule === 'FREQ=DAILY') return { kind: 'daily', ...empty };
  const weekly = /^FREQ=WEEKLY(?:;BYDAY=([A-Z,]+))?$/.exec(rule);
  const named = weekly?.[1]?.split(',') ?? [];
  const days = weekdays.filter((day) => named.includes(codes[day]));
  if (weekly !== null && days.length === named.length) return { ...empty, kind: 'weekly', days };
  const monthly = /^FREQ=MONTHLY;BYMONTHDAY=(\d{1,2})$/.exec(rule);
  if (monthly !== null) return { ...empty, kind: 'monthly', dayOfMonth: monthly[1] ?? '' };
  return { ...empty, kind: 'rule', rule };
}

/** The recurrence as a rule of RFC 5545; null: once. */
export function ruleOf({ kind, days, dayOfMonth, rule }: Recurrence): string | null {
  switch (kind) {
    case 'once':
      return null;
    case 'daily':
      return 'FREQ=DAILY';
    case 'weekly':
      return days.length === 0
        ? 'FREQ=WEEKLY'
        : `FREQ=WEEKLY;BYDAY=${weekdays
            .filter((day) => days.includes(day))
            .map((day) => codes[day])
            .join(',')}`;
    case 'monthly':
      return dayOfMonth === '' ? 'FREQ=MONTHLY' : `FREQ=MONTHLY;BYMONTHDAY=${dayOfMonth}`;
    case 'rule':
      return rule;
  }
}
