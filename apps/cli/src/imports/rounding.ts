/** Intervals in seconds: those of FrequencySeconds, then those of Frequency. */
const intervals = [5, 10, 15, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600] as const;

/** A value as the API takes it, with what was changed for that; `note` is absent where nothing was. */
export interface Rounded<Value extends number = number> {
  readonly value: Value;
  readonly note?: string;
}

/**
 * The interval next to another one, in seconds: the longest that checks at least as often, so that nothing is noticed
 * later than before.
 */
export function roundInterval(seconds: number): Rounded<(typeof intervals)[number]> {
  const value = intervals.findLast((each) => each <= seconds) ?? intervals[0];
  if (value === seconds) return { value };
  const rarer = value > seconds ? ', less often than before' : '';
  return { value, note: `interval ${showSpan(seconds)} became ${showSpan(value)}${rarer}` };
}

/** An interval by the names of the API. */
export function frequencyOf(seconds: number | undefined): {
  readonly Frequency?: number | undefined;
  readonly FrequencySeconds?: number | undefined;
} {
  if (seconds === undefined) return {};
  return seconds < 60 ? { FrequencySeconds: seconds } : { Frequency: seconds / 60 };
}

/** Timeout in whole seconds, never shorter than before. */
export function roundTimeout(seconds: number): Rounded {
  return bounded(Math.ceil(seconds), [1, 120], seconds, (value) => `timeout ${seconds} s became ${value} s`);
}

/** Failing checks until Down. */
export function roundAttempts(attempts: number): Rounded {
  return bounded(
    Math.round(attempts),
    [1, 11],
    attempts,
    (value) => `Down after ${attempts} failing checks became Attempts ${value}`,
  );
}

/** RetryDelay in whole seconds. */
export function roundRetryDelay(seconds: number): Rounded {
  return bounded(
    Math.round(seconds),
    [1, 300],
    seconds,
    (value) => `${showSpan(seconds)} before a retry became RetryDelay ${value} (seconds)`,
  );
}

function bounded(
  whole: number,
  [least, most]: readonly [number, number],
  given: number,
  note: (value: number) => string,
): Rounded {
  const value = Math.min(most, Math.max(least, whole));
  return value === given ? { value } : { value, note: note(value) };
}

function showSpan(seconds: number): string {
  return seconds >= 60 && seconds % 60 === 0 ? `${seconds / 60} min` : `${Number(seconds.toFixed(3))} s`;
}
