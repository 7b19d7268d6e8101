import { clampAhead } from '../clamp-ahead.ts';
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

/** The progress of the mails of a monthly report. */
interface ReportState {
  readonly createdUs: number;
  /** The last month for which mails were created; null: none yet. */
  readonly month: string | null;
}

/** After this time a report is created without the sums of the last day. */
const maxWaitUs = 12 * hourUs;
/** Mails of older months are no longer useful. */
const maxMonths = 12;

const inUs = ({ from, to }: Moments) => ({ fromUs: from * 1_000, toUs: to * 1_000 });

/** The month of the next report: the month after the last one, or the month in which the report was set up. Pure. */
export function nextMonth({ createdUs, month }: ReportState, zone: string): Month {
  const last = month === null ? undefined : parseSpan(month);
  const created = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
  const span =
    last === undefined ? spanAround('month', created.format(createdUs / 1_000)) : neighbour(last, 1);
  return { month: spanText(span), ...inUs(momentsOf(span, zone)) };
}

/**
 * The month whose report is due now. undefined: the month has not ended, or it ended less than twelve hours ago and the
 * sums of its last day are missing. Missed months follow one after the other, at most twelve. Pure.
 */
export function dueMonth(
  state: ReportState,
  zone: string,
  { nowUs, isRolledUp }: { readonly nowUs: number; readonly isRolledUp: (month: Month) => boolean },
): Month | undefined {
  const date = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(nowUs / 1_000);
  let oldest = spanAround('month', date);
  const ended = neighbour(oldest, -1);
  // A later month was stored by a clock that was ahead: the last month that ended is made again.
  const isAhead = state.month !== null && state.month > spanText(ended);
  const createdUs = clampAhead(state.createdUs, nowUs);
  let due = nextMonth({ createdUs, month: isAhead ? spanText(neighbour(ended, -1)) : state.month }, zone);
  if (due.toUs > nowUs) return undefined;
  for (let months = 0; months < maxMonths; months += 1) oldest = neighbour(oldest, -1);
  if (due.month < spanText(oldest)) due = { month: spanText(oldest), ...inUs(momentsOf(oldest, zone)) };
  return isRolledUp(due) || nowUs >= due.toUs + maxWaitUs ? due : undefined;
}
