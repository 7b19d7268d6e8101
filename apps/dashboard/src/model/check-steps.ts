import { phases } from './phases.ts';

/** A part of the time of a step. */
export interface StepPhase {
  readonly name: (typeof phases)[number][0];
  readonly ms: number;
}

/** A step of a check, on the time axis of the whole check. */
interface CheckStep {
  readonly name: string;
  readonly result: string;
  readonly isGood: boolean;
  /** `GET https://www.example.org/`; empty: it sent nothing. */
  readonly request: string;
  readonly startMs: number;
  readonly tookMs: number;
  /** Without those that did not happen. */
  readonly phases: readonly StepPhase[];
}

/** The steps of a check and the time of all of them. */
export interface CheckSteps {
  readonly steps: readonly CheckStep[];
  readonly totalMs: number;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const msOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;

/** The steps in the diagnostics of a check, each after the one before; undefined: it has none. Pure. */
export function stepsOfCheck(extended: Readonly<Record<string, unknown>>): CheckSteps | undefined {
  const { Steps } = extended;
  const entries = Array.isArray(Steps) ? Steps.filter(isRecord) : [];
  if (entries.length === 0) return undefined;
  let totalMs = 0;
  const steps = entries.map((entry): CheckStep => {
    const own = phases.map(([name, field]) => ({ name, ms: msOf(entry[field]) })).filter(({ ms }) => ms > 0);
    const tookMs = own.reduce((sum, { ms }) => sum + ms, 0);
    const startMs = totalMs;
    totalMs += tookMs;
    return {
      name: textOf(entry['Name']),
      result: textOf(entry['Result']),
      isGood: entry['Good'] === true,
      request: [textOf(entry['Method']), textOf(entry['URL'])].filter((part) => part !== '').join(' '),
      startMs,
      tookMs,
      phases: own,
    };
  });
  return { steps, totalMs };
}
