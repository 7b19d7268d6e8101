/** The text in which a person turns the warnings off. */
const noWarning = 'never';

/** Days before an end as a person types them; empty: not set. Pure. */
export function warningDaysText(days: readonly number[] | null | undefined): string {
  if (days === null || days === undefined) return '';
  return days.length === 0 ? noWarning : days.join(', ');
}

/** The days that a person typed; null: not set. A text that is no list stays, so that the API says what is accepted. */
export function readWarningDays(text: string): number[] | string | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (trimmed.toLowerCase() === noWarning) return [];
  const parts = trimmed.split(/[\s,;]+/).filter((part) => part !== '');
  return parts.every((part) => /^\d+$/.test(part)) ? parts.map(Number) : trimmed;
}
