import { hourUs } from '../units.ts';
import { type Moments, momentsOf, neighbour, parseSpan, spanAround, spanText } from './report-span.ts';

/** A whole month in a zone; times are microseconds since 1970. */
export interface Month {
  /** `2026-10`. */
  readonly month: string;
  readonly fromUs: number;
  /** Not included. */
  readonly toUs: number;
}

/** How far the mails of a monthly report are. */
interface ReportState {
  readonly createdUs: number;
  /** The last month of which mails were made; null: none yet. */
  readonly month: string | null;
}

/** After this time a report is made without the sums of the last day. */
const patienceUs = 12 * hourUs;
/** Mails of older months are of no use any more. */
const mostMonths = 12;

const inUs = ({ from, to }: Moments) => ({ fromUs: from * 1_000, toUs: to * 1_000 });

/** The month of which a report is made next: the one after the last, or the one in which it was created. Pure. */
export function nextMonth({ createdUs, month }: ReportState, zone: string): Month {
  const last = month === null ? undefined : parseSpan(month);
  const created = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
  const span =
    last === undefined ? spanAround('month', created.format(createdUs / 1_000)) : neighbour(last, 1);
  return { month: spanText(span), ...inUs(momentsOf(span, zone)) };
}

/**
 * The month of which a report is to be made now; undefined: it has not ended, or the sums of its last day are not there
 * and it ended less than twelve hours ago. Months that were missed come one after the other, at most twelve. Pure.
 */
export function dueMonth(
  state: ReportState,
  zone: string,
  { nowUs, isRolledUp }: { readonly nowUs: number; readonly isRolledUp: (month: Month) => boolean },
): Month | undefined {
  let due = nextMonth(state, zone);
  if (due.toUs > nowUs) return undefined;
  const date = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(nowUs / 1_000);
  let oldest = spanAround('month', date);
  for (let months = 0; months < mostMonths; months += 1) oldest = neighbour(oldest, -1);
  if (due.month < spanText(oldest)) due = { month: spanText(oldest), ...inUs(momentsOf(oldest, zone)) };
  return isRolledUp(due) || nowUs >= due.toUs + patienceUs ? due : undefined;
}
