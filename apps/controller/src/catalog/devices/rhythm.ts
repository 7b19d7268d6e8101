import { type FieldFault, sentFault } from '@vantage/kernel';
import type { SentSettings } from './fields.ts';

/** The seconds that a device may have as its interval instead of minutes. */
export const secondsChoices = [5, 10, 15, 20, 30] as const;

/** How often a device is checked, as the database stores it; `frequencyMin` is 1 where `frequencyS` counts. */
export interface Interval {
  readonly frequencyMin: number;
  readonly frequencyS: number | null;
}

type Seconds = (typeof secondsChoices)[number];

/**
 * The interval that was asked for by its two names, Frequency (minutes) and FrequencySeconds. Of both, the one that
 * differs from what is shown counts; undefined: both differ and contradict each other. `minutes: null` sets
 * `byDefault`, `seconds: null` lets Frequency count. Pure.
 */
export function chooseInterval(
  shown: Interval,
  {
    minutes,
    seconds,
  }: { readonly minutes?: number | null | undefined; readonly seconds?: Seconds | null | undefined },
  byDefault: number,
): Interval | undefined {
  const wanted = minutes === null ? byDefault : minutes;
  const otherMinutes = wanted !== undefined && wanted !== shown.frequencyMin;
  if (seconds !== undefined && seconds !== null && seconds !== shown.frequencyS)
    return otherMinutes && wanted !== 1 ? undefined : { frequencyMin: 1, frequencyS: seconds };
  if (otherMinutes || seconds === null)
    return { frequencyMin: wanted ?? shown.frequencyMin, frequencyS: null };
  return shown;
}

/** Retries as the API shows them: the contract has no fewer than two. */
export function shownRetries(retries: number): number {
  return Math.max(2, retries);
}

/**
 * The retries after the first failing check, by their two names, Retries (2 to 10) and Attempts (failing checks until
 * Down). Of both, the one that differs from what is shown counts; undefined: both differ and contradict each other.
 * `sent.retries: null` sets `byDefault`; `attempts: null` is Retries + 1. Pure.
 */
export function chooseRetries(
  stored: number,
  sent: { readonly retries?: number | null | undefined; readonly attempts?: number | null | undefined },
  byDefault: number,
): number | undefined {
  const wanted = sent.retries === null ? byDefault : sent.retries;
  const otherRetries = wanted !== undefined && wanted !== shownRetries(stored);
  const { attempts } = sent;
  if (attempts !== undefined && attempts !== null && attempts !== stored + 1)
    return otherRetries && wanted !== shownRetries(attempts - 1) ? undefined : attempts - 1;
  if (otherRetries || attempts === null) return wanted ?? shownRetries(stored);
  return stored;
}

/**
 * How often a device is checked, and how many checks must fail, laid over the current ones; a fault for each pair that
 * contradicts itself.
 */
export function resolveRhythm(
  sent: Pick<SentSettings, 'Frequency' | 'FrequencySeconds' | 'Retries' | 'Attempts'>,
  current: Interval & { readonly retries: number },
  byDefault: { readonly Frequency: number; readonly Retries: number },
): { readonly rhythm: Interval & { readonly retries: number }; readonly faults: readonly FieldFault[] } {
  const interval = chooseInterval(
    current,
    { minutes: sent.Frequency, seconds: sent.FrequencySeconds },
    byDefault.Frequency,
  );
  const retries = chooseRetries(
    current.retries,
    { retries: sent.Retries, attempts: sent.Attempts },
    byDefault.Retries,
  );
  const faults = [
    ...(interval === undefined
      ? [sentFault('FrequencySeconds', 'sent without Frequency, or with Frequency 1', sent.FrequencySeconds)]
      : []),
    ...(retries === undefined
      ? [sentFault('Attempts', 'sent without Retries, or one more than them', sent.Attempts)]
      : []),
  ];
  const { frequencyMin, frequencyS } = interval ?? current;
  return { rhythm: { frequencyMin, frequencyS, retries: retries ?? current.retries }, faults };
}
