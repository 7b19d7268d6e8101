/** The API's intervals in seconds: first those of FrequencySeconds, then those of Frequency. */
const intervals = [5, 10, 15, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600] as const;

/** A value that the API accepts. `note` says how it was changed; absent where it was not. */
export interface RoundedValue<Value extends number = number> {
  readonly value: Value;
  readonly note?: string;
}

/** The longest interval of the API that checks at least as often, so that no outage is noticed later than before. */
export function roundInterval(seconds: number): RoundedValue<(typeof intervals)[number]> {
  const value = intervals.findLast((interval) => interval <= seconds) ?? intervals[0];
  if (value === seconds) return { value };
  const comment = value > seconds ? ', less often than before' : '';
  return { value, note: `interval ${showSpan(seconds)} became ${showSpan(value)}${comment}` };
}

/** Timeout in whole seconds, never shorter than before. */
export function roundTimeout(seconds: number): RoundedValue {
  return clamp(seconds, Math.ceil(seconds), 120, (value) => `timeout ${seconds} s became ${value} s`);
}

export function roundAttempts(attempts: number): RoundedValue {
  return clamp(
    attempts,
    Math.round(attempts),
    11,
    (value) => `Down after ${attempts} failing checks became Attempts ${value}`,
  );
}

/** RetryDelay in whole seconds. */
export function roundRetryDelay(seconds: number): RoundedValue {
  return clamp(
    seconds,
    Math.round(seconds),
    300,
    (value) => `${showSpan(seconds)} before a retry became RetryDelay ${value} (seconds)`,
  );
}

function clamp(before: number, whole: number, max: number, note: (value: number) => string): RoundedValue {
  const value = Math.min(max, Math.max(1, whole));
  return value === before ? { value } : { value, note: note(value) };
}

function showSpan(seconds: number): string {
  return seconds >= 60 && seconds % 60 === 0 ? `${seconds / 60} min` : `${Number(seconds.toFixed(3))} s`;
}
