import { dayMs, hourMs } from '../units.ts';

/** Whole days in the zone of the account; `last` is included. Dates are `2026-10-31`. */
export interface ReportSpan {
  readonly kind: 'month' | 'quarter' | 'days';
  readonly first: string;
  readonly last: string;
}

/** The maximum of a span of the kind `days`. */
const maxDays = 1_830;
const dateForm = /^\d{4}-\d\d-\d\d$/;

const msOf = (date: string) => Date.parse(`${date}T00:00:00Z`);
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const isDate = (text: string) =>
  dateForm.test(text) && !Number.isNaN(msOf(text)) && dateOf(msOf(text)) === text;

export function dateAfter(date: string, days = 1): string {
  return dateOf(msOf(date) + days * dayMs);
}

/** The number of days in a span. */
export function daysOf({ first, last }: ReportSpan): number {
  return Math.round((msOf(last) - msOf(first)) / dayMs) + 1;
}

/** A span of `count` months; `month` is counted from the year 0. */
function monthsFrom(month: number, count: 1 | 3): ReportSpan {
  const start = (at: number) =>
    `${String(Math.floor(at / 12)).padStart(4, '0')}-${String((at % 12) + 1).padStart(2, '0')}-01`;
  return {
    kind: count === 1 ? 'month' : 'quarter',
    first: start(month),
    last: dateAfter(start(month + count), -1),
  };
}

const monthOf = (date: string) => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;

/** The month or quarter that contains a date. */
export function spanAround(kind: 'month' | 'quarter', date: string): ReportSpan {
  const month = monthOf(date);
  return kind === 'month' ? monthsFrom(month, 1) : monthsFrom(month - (month % 3), 3);
}

/** The days from `first` to `last`; undefined if these are no dates, in the wrong order, or too far apart. */
export function spanOfDays(first: string, last: string): ReportSpan | undefined {
  if (!isDate(first) || !isDate(last) || first < '1971-01-01' || last > '9998-12-31' || first > last)
    return undefined;
  const span = { kind: 'days', first, last } as const;
  return daysOf(span) > maxDays ? undefined : span;
}

/** Reads the span of an address: `2026-10`, `2026-q4` or `2026-10-01..2026-10-14`. */
export function parseSpan(text: string): ReportSpan | undefined {
  const [, year = '', month, quarter] = /^(\d{4})-(?:(\d\d)|q([1-4]))$/.exec(text) ?? [];
  const begin =
    month === undefined
      ? quarter === undefined
        ? ''
        : `${year}-${String(Number(quarter) * 3 - 2).padStart(2, '0')}-01`
      : `${year}-${month}-01`;
  if (spanOfDays(begin, begin) !== undefined)
    return spanAround(month === undefined ? 'quarter' : 'month', begin);
  const [first = '', last = '', more] = text.split('..');
  return more === undefined ? spanOfDays(first, last) : undefined;
}

/** The text of a span in an address. */
export function spanText({ kind, first, last }: ReportSpan): string {
  if (kind === 'month') return first.slice(0, 7);
  if (kind === 'quarter') return `${first.slice(0, 4)}-q${Math.floor((monthOf(first) % 12) / 3) + 1}`;
  return `${first}..${last}`;
}

/** The span before (-1) or after (1) this one; a span of days moves by its length. */
export function neighbour(span: ReportSpan, by: -1 | 1): ReportSpan {
  if (span.kind !== 'days') return spanAround(span.kind, dateAfter(by < 0 ? span.first : span.last, by));
  const days = daysOf(span) * by;
  return { ...span, first: dateAfter(span.first, days), last: dateAfter(span.last, days) };
}

/** The date of a moment in one zone. Creating such a function costs more than calling it. */
type DateOf = (ms: number) => string;

function datesIn(zone: string): DateOf {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
  return (ms) => format.format(ms);
}

/** The first moment of a date, milliseconds since 1970. If the clocks skip midnight, the day begins later. */
function startOf(date: string, dateAt: DateOf): number {
  const wall = msOf(date);
  // No zone is a day away from UTC, so the date begins once within these two days.
  let [before, after] = [wall - dayMs, wall + dayMs];
  while (after - before > 1_000) {
    const middle = Math.floor((before + after) / 2_000) * 1_000;
    if (dateAt(middle) < date) before = middle;
    else after = middle;
  }
  return after;
}

/** A span as moments, milliseconds since 1970. */
export interface Moments {
  readonly from: number;
  /** Not included. */
  readonly to: number;
}

/** The start and end of a span in a zone. */
export function momentsOf({ first, last }: ReportSpan, zone: string): Moments {
  const dateAt = datesIn(zone);
  return { from: startOf(first, dateAt), to: startOf(dateAfter(last), dateAt) };
}

/** The days of a span that are not 24 hours long because of a clock change. */
export function changedDays(
  span: ReportSpan,
  zone: string,
): readonly { readonly date: string; readonly hours: number }[] {
  const dateAt = datesIn(zone);
  const found: { date: string; hours: number }[] = [];
  let from = startOf(span.first, dateAt);
  for (let date = span.first; date <= span.last; date = dateAfter(date)) {
    const next = dateAfter(date);
    const usual = from + dayMs;
    // Clocks that go back just after midnight repeat the end of the day, so the next day begins twice.
    const begins = dateAt(usual) === next && dateAt(usual + hourMs / 2) === next;
    const isUsual = begins && dateAt(usual - 1_000) === date;
    const to = isUsual ? usual : startOf(next, dateAt);
    if (!isUsual) found.push({ date, hours: (to - from) / hourMs });
    from = to;
  }
  return found;
}
