import { dayMs } from '@vantage/domain/units';

/** The choices for the end of a key. */
export const endChoices = ['never', 'd30', 'd90', 'd365', 'date'] as const;
export type EndChoice = (typeof endChoices)[number];

const daysOf: Readonly<Record<Exclude<EndChoice, 'never' | 'date'>, number>> = {
  d30: 30,
  d90: 90,
  d365: 365,
};

/**
 * The end of a key for the API: the last second of a day in the account's zone; null: never. `today` is the date of
 * today in that zone.
 */
export function endOf(choice: EndChoice, date: string, today: string): string | null {
  if (choice === 'never') return null;
  const day = choice === 'date' ? date : dayAfter(today, daysOf[choice]);
  return `${day}T23:59:59`;
}

function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}
