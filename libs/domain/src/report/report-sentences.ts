import { count, inFull, percent } from './numbers.ts';
import type { Report } from './report.ts';
import { type Uptime, uptimeWords } from './uptime-statement.ts';

const devicesOf = (n: number) => `${count(n)} ${n === 1 ? 'device' : 'devices'}`;
const outagesOf = (n: number) => (n === 0 ? 'no outage' : `${count(n)} ${n === 1 ? 'outage' : 'outages'}`);

/** Sentences that say whether the objective is met, and the time that is left; none if nothing was observed. Pure. */
export function objectiveSentences(
  { total: { budget, devices }, kept, judged }: Report,
  /** In percent: `99.9`. */
  objective: string,
  /** Whether the span has not ended. */
  isOpen: boolean,
): readonly string[] {
  if (budget === undefined || judged === 0) return [];
  const time = inFull(Math.abs(budget.left), 2);
  const name = `The objective of ${objective}\u00a0%`;
  if (devices.length === 1)
    return [
      budget.isKept
        ? `${name} is kept: ${time} ${isOpen ? 'are' : 'were'} left.`
        : `${name} is not kept: it was Down ${time} longer.`,
    ];
  const all = kept === judged ? 'is kept' : 'is not kept by all: it is kept';
  return [
    `${name} ${all} by ${count(kept)} of ${devicesOf(judged)}.`,
    budget.isKept
      ? `Together they may ${isOpen ? `still be Down for ${time}` : `have been Down for ${time} more`}.`
      : `Together they were Down ${time} longer than that allows.`,
  ];
}

/** A sentence with the figures of another span, for comparison. Pure. */
export function previousSentence(
  span: string,
  uptime: Uptime,
  { outages, devices }: { readonly outages: number; readonly devices: number },
): string {
  if (uptime.coverage === 'whole')
    return `${span}: ${percent(uptime.percent)} of the time, ${outagesOf(outages)}.`;
  const words = uptimeWords(uptime, span, devices);
  return `${span}: ${words}${uptime.percent === null ? '' : `, ${outagesOf(outages)}`}.`;
}

/** The start of a sentence: `All 12 devices were up`. The percentage follows. Pure. */
export function subjectSentence(name: string, isMany: boolean): string {
  return `${name} ${isMany ? 'were' : 'was'} up`;
}

/** The devices of a report as the subject of a sentence; `isAll`: all of the account. Pure. */
export function devicesSubject(n: number, isAll: boolean): string {
  if (!isAll) return devicesOf(n);
  return n === 1 ? 'The only device' : `All ${devicesOf(n)}`;
}
