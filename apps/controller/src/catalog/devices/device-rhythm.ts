import { type FieldFault, sentFault } from '@vantage/kernel';
import type { SentOf } from '../../resources/field-table.ts';
import { deviceTable, type secondsChoices, shownRetries } from './device-table.ts';

/**
 * The interval that was sent under its two names, Frequency (minutes) and FrequencySeconds. If both were sent, the one
 * that differs from the shown value counts; undefined: both differ and contradict each other. `minutes: null` sets
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
  const sentMinutes = minutes === null ? byDefault : minutes;
  const otherMinutes = sentMinutes !== undefined && sentMinutes !== shown.frequency_min;
  if (seconds !== undefined && seconds !== null && seconds !== shown.frequency_s)
    return otherMinutes && sentMinutes !== 1 ? undefined : { frequency_min: 1, frequency_s: seconds };
  if (otherMinutes || seconds === null)
    return { frequency_min: sentMinutes ?? shown.frequency_min, frequency_s: null };
  return shown;
}

/** The interval of a device as it is stored; `frequency_min` is 1 where `frequency_s` counts. */
interface Interval {
  readonly frequency_min: number;
  readonly frequency_s: number | null;
}

/** The interval, and the retries after the first failing check. */
type Rhythm = Interval & { readonly retries: number };

type Seconds = (typeof secondsChoices)[number];

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
  const sentRetries = sent.retries === null ? byDefault : sent.retries;
  const otherRetries = sentRetries !== undefined && sentRetries !== shownRetries(stored);
  const { attempts } = sent;
  if (attempts !== undefined && attempts !== null && attempts !== stored + 1)
    return otherRetries && sentRetries !== shownRetries(attempts - 1) ? undefined : attempts - 1;
  if (otherRetries || attempts === null) return sentRetries ?? shownRetries(stored);
  return stored;
}

/**
 * How often a device is checked, and how many checks must fail, laid over the current ones; a fault for each pair that
 * contradicts itself.
 */
export function resolveRhythm(
  sent: SentOf<Pick<typeof deviceTable, 'Frequency' | 'FrequencySeconds' | 'Retries' | 'Attempts'>>,
  current: Rhythm,
): { readonly rhythm: Rhythm; readonly faults: readonly FieldFault[] } {
  const { Frequency, FrequencySeconds, Retries, Attempts } = sent;
  const interval = chooseInterval(
    current,
    { minutes: Frequency, seconds: FrequencySeconds },
    deviceTable.Frequency.byDefault,
  );
  const retries = chooseRetries(
    current.retries,
    { retries: Retries, attempts: Attempts },
    deviceTable.Retries.byDefault,
  );
  const faults = [
    ...(interval === undefined
      ? [sentFault('FrequencySeconds', 'sent without Frequency, or with Frequency 1', FrequencySeconds)]
      : []),
    ...(retries === undefined
      ? [{ field: 'Attempts', message: 'must be Retries + 1 when both are sent' }]
      : []),
  ];
  const { frequency_min, frequency_s } = interval ?? current;
  return { rhythm: { frequency_min, frequency_s, retries: retries ?? current.retries }, faults };
}
