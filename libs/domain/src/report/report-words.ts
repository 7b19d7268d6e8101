import { daysOf, type ReportSpan } from './report-span.ts';

const monthNames = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'long' });

const monthOf = (date: string) => monthNames.format(Date.parse(`${date}T00:00:00Z`));
const yearOf = (date: string) => date.slice(0, 4);

/** A date in words: `11 October 2026`. */
export function dateWords(date: string): string {
  return `${Number(date.slice(8, 10))}\u00a0${monthOf(date)} ${yearOf(date)}`;
}

/** A span in words: `October 2026`, `the 4th quarter of 2026`, `1 to 14 October 2026`. */
export function spanWords(span: ReportSpan): string {
  const { kind, first, last } = span;
  if (kind === 'month') return `${monthOf(first)} ${yearOf(first)}`;
  if (kind === 'quarter') {
    const name = ['1st', '2nd', '3rd', '4th'][Math.floor((Number(first.slice(5, 7)) - 1) / 3)];
    return `the ${name} quarter of ${yearOf(first)}`;
  }
  if (daysOf(span) === 1) return dateWords(first);
  const day = String(Number(first.slice(8, 10)));
  if (first.slice(0, 7) === last.slice(0, 7)) return `${day} to ${dateWords(last)}`;
  if (yearOf(first) === yearOf(last)) return `${day}\u00a0${monthOf(first)} to ${dateWords(last)}`;
  return `${dateWords(first)} to ${dateWords(last)}`;
}

/** A span as parts of sentences. */
export interface SpanPhrase {
  /** After “of”: `October 2026`, `the time from 1 to 14 October 2026`. */
  readonly time: string;
  /** `in October 2026`, `from 1 to 14 October 2026`, `on 11 October 2026`. */
  readonly within: string;
}

/** The parts of sentences for a span. `isOpen`: it has not ended. */
export function spanPhrase(span: ReportSpan, isOpen = false): SpanPhrase {
  const words = `${spanWords(span)}${isOpen ? ' so far' : ''}`;
  if (span.kind !== 'days') return { time: words, within: `in ${words}` };
  return daysOf(span) === 1
    ? { time: words, within: `on ${words}` }
    : { time: `the time from ${words}`, within: `from ${words}` };
}

/** A timestamp of the API for a list of outages: `11 Oct 2026 21:14`. It is already in the zone of the account. */
export function minuteWords(timestamp: string): string {
  const date = timestamp.slice(0, 10);
  return `${Number(date.slice(8))}\u00a0${monthOf(date).slice(0, 3)}\u00a0${yearOf(date)} ${timestamp.slice(11, 16)}`;
}
