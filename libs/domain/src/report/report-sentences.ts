import { count, inFull, percent } from './numbers.ts';
import type { Report } from './report.ts';

const devicesOf = (n: number) => `${count(n)} ${n === 1 ? 'device' : 'devices'}`;
const outagesOf = (n: number) => (n === 0 ? 'no outage' : `${count(n)} ${n === 1 ? 'outage' : 'outages'}`);

/** Whether the objective is kept, and what is left of it, in sentences; none where nothing was observed. Pure. */
export function objectiveSentences(
  { total: { budget, devices }, kept, judged }: Report,
  /** In percent: `99.9`. */
  objective: string,
  /** The span still runs. */
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

/** The figures of another span in a sentence, for a comparison. Pure. */
export function previousSentence(span: string, value: number | null, outages: number): string {
  return value === null
    ? `${span}: nothing was observed.`
    : `${span}: ${percent(value)}, ${outagesOf(outages)}.`;
}

/** How the devices of a name were in a span: `All 12 devices were up`. The percentage follows. Pure. */
export function subjectSentence(name: string, isMany: boolean): string {
  return `${name} ${isMany ? 'were' : 'was'} up`;
}

/** All devices of an account, or some of them, as the subject of a sentence. Pure. */
export function devicesSubject(n: number, isAll: boolean): string {
  if (!isAll) return devicesOf(n);
  return n === 1 ? 'The only device' : `All ${devicesOf(n)}`;
}
