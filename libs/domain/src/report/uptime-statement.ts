import { inFull, percent } from './numbers.ts';
import type { SpanPhrase } from './report-words.ts';

/** Seconds of a span by status, of one device or of several together. */
export interface SpanSeconds {
  readonly up: number;
  readonly down: number;
  readonly maintenance: number;
  readonly unknown: number;
  readonly excluded: number;
}

/** The part of a span that was observed outside maintenance: nothing, less than 1 %, a part, or at least 99 %. */
type Coverage = 'nothing' | 'little' | 'part' | 'whole';

/** The permitted statement about the uptime of a span. */
export interface Uptime {
  readonly coverage: Coverage;
  /** Up / (Up + Down) in percent; null if so little was observed that no percentage is shown. */
  readonly percent: number | null;
  /** Seconds that count: Up and Down. */
  readonly observed: number;
  readonly total: number;
  readonly hasMaintenance: boolean;
}

const minShare = 0.01;
const wholeShare = 0.99;

/** Up / (Up + Down) in percent; null if nothing was observed. It is 100 only without any Down. */
export function percentOf({ up, down }: Pick<SpanSeconds, 'up' | 'down'>): number | null {
  if (up + down === 0) return null;
  return down === 0 ? 100 : Math.min((up / (up + down)) * 100, 99.999999);
}

/** Decides what may be said about the uptime: every place that shows a percentage of uptime asks this. Pure. */
export function uptimeOf(seconds: SpanSeconds): Uptime {
  const { up, down, maintenance, unknown, excluded } = seconds;
  const [observed, total] = [up + down, up + down + maintenance + unknown + excluded];
  const facts = { observed, total, hasMaintenance: maintenance > 0 };
  if (observed === 0) return { ...facts, coverage: 'nothing', percent: null };
  if (observed < total * minShare) return { ...facts, coverage: 'little', percent: null };
  const coverage = observed < total * wholeShare ? 'part' : 'whole';
  return { ...facts, coverage, percent: percentOf(seconds) };
}

/** A share with one decimal, which is 0 and 100 only if it is exact. Pure. */
function shareWords(part: number, total: number): string {
  if (part <= 0) return '0\u00a0%';
  if (part >= total) return '100\u00a0%';
  const tenths = Math.floor((part / total) * 1_000);
  return tenths === 0 ? '<0.1\u00a0%' : `${(tenths / 10).toFixed(1)}\u00a0%`;
}

/**
 * Seconds of a span in words. The sum of several devices that is longer than the span is a share: “567 d” in a month
 * would mislead. Pure.
 */
export function timeWords(seconds: number, total: number, devices = 1): string {
  return devices > 1 && seconds * devices > total
    ? `${shareWords(seconds, total)} of the time`
    : inFull(seconds, 2);
}

/** The time that a percentage is about: `the 6 min observed`. Pure. */
function observedWords({ observed, total, hasMaintenance }: Uptime, devices: number): string {
  const outside = hasMaintenance ? ' outside maintenance' : '';
  return devices > 1
    ? `the ${shareWords(observed, total)} of the time observed${outside}`
    : `the ${inFull(observed, 2)} observed${outside}`;
}

/** Why there is no percentage. Pure. */
function littleWords({ observed, total }: Uptime, devices: number): string {
  return devices > 1
    ? `${shareWords(observed, total)} of the time`
    : `${inFull(observed, 2)} of ${inFull(total, 2)}`;
}

/** The uptime with the time that it is about: `100 % of the 6 min observed`. `span` is that time in words. Pure. */
export function uptimeWords(uptime: Uptime, span: string, devices = 1): string {
  const { coverage } = uptime;
  if (coverage === 'nothing') return 'nothing observed';
  if (coverage === 'little') return `too little observed: ${littleWords(uptime, devices)}`;
  const value = percent(uptime.percent);
  return coverage === 'whole' ? `${value} of ${span}` : `${value} of ${observedWords(uptime, devices)}`;
}

/** The headline of a report: `Router was up 100 % of the 6 min observed in November 2026 so far`. Pure. */
export function uptimeSentence(
  uptime: Uptime,
  {
    subject,
    span,
    devices,
  }: { readonly subject: string; readonly span: SpanPhrase; readonly devices: number },
): string {
  const { coverage } = uptime;
  if (coverage === 'nothing') return `Nothing was observed ${span.within}`;
  if (coverage === 'little')
    return `Too little of ${span.time} was observed for a percentage: ${littleWords(uptime, devices)}`;
  const tail = coverage === 'part' ? ` ${span.within}` : '';
  return `${subject} ${uptimeWords(uptime, span.time, devices)}${tail}`;
}
