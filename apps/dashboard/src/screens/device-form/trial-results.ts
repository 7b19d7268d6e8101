import type { Schemas } from '@vantage/client';
import { phases } from '../../model/phases.ts';

export type TrialRecord = Omit<Schemas['TrialRecord'], 'check_id'>;

/** The state of a trial from a Location. */
export type LocationTrial =
  | { readonly state: 'running' }
  | { readonly state: 'done'; readonly record: TrialRecord }
  | { readonly state: 'refused'; readonly reason: string };

/** The Locations by the outcome of their trials. */
interface TrialOutcomes {
  readonly good: readonly string[];
  readonly bad: readonly string[];
  /** The check said nothing about the device, or it could not be made. */
  readonly inconclusive: readonly string[];
  readonly isRunning: boolean;
}

/** The first ResultCode that says nothing about the device. */
const firstInconclusive = 9;

/** Sorts the Locations by the outcome of their trials. */
export function outcomesOf(trials: ReadonlyMap<string, LocationTrial>): TrialOutcomes {
  const withCode = (fits: (code: number) => boolean) =>
    [...trials].flatMap(([name, trial]) =>
      trial.state === 'done' && fits(trial.record.ResultCode) ? [name] : [],
    );
  const good = withCode((code) => code === 1);
  const bad = withCode((code) => code > 1 && code < firstInconclusive);
  const isRunning = [...trials.values()].some(({ state }) => state === 'running');
  const inconclusive = [...trials.keys()].filter(
    (name) => trials.get(name)?.state !== 'running' && !good.includes(name) && !bad.includes(name),
  );
  return { good, bad, inconclusive, isRunning };
}

/** The line at which a script failed: of the script itself, or of its last call that failed. */
export function failedLine({ ResultCode, Extended }: TrialRecord): number | undefined {
  if (ResultCode === 1) return undefined;
  const { Line, Steps } = Extended as {
    readonly Line?: number;
    readonly Steps?: readonly {
      readonly Calls?: readonly { readonly Line?: number; readonly ResultCode?: number }[];
    }[];
  };
  const calls = (Steps ?? []).flatMap(({ Calls = [] }) => Calls);
  return Line ?? calls.findLast((call) => call.ResultCode !== 1)?.Line;
}

/** A part of a bar, in thousandths of its width. */
export interface BarPart {
  readonly name: (typeof phases)[number][0];
  readonly from: number;
  readonly width: number;
}

/** The phases of a check as parts of a bar whose whole width is `maxMs`. */
export function barParts(record: TrialRecord, maxMs: number): readonly BarPart[] {
  const scale = maxMs > 0 ? 1_000 / maxMs : 0;
  const parts: BarPart[] = [];
  let from = 0;
  for (const [name, field] of phases) {
    const width = record[field] * scale;
    if (width > 0) parts.push({ name, from, width });
    from += width;
  }
  return parts;
}
