const allowedMinutes = [1, 2, 5, 10, 20, 30, 60] as const;

/** A value as the API takes it, with what was changed for that; `note` is absent where nothing was. */
export interface Rounded<Value extends number = number> {
  readonly value: Value;
  readonly note?: string;
}

/** The Frequency next to an interval: the longest that checks at least as often, so that nothing is noticed later than before. */
export function roundInterval(seconds: number): Rounded<(typeof allowedMinutes)[number]> {
  const minutes = seconds / 60;
  const value = allowedMinutes.findLast((each) => each <= minutes) ?? 1;
  if (value === minutes) return { value };
  const rarer = value > minutes ? ', less often than before' : '';
  return { value, note: `interval ${showSpan(seconds)} became Frequency ${value} (minutes)${rarer}` };
}

/** Timeout in whole seconds, never shorter than before. */
export function roundTimeout(seconds: number): Rounded {
  return bounded(Math.ceil(seconds), [1, 120], seconds, (value) => `timeout ${seconds} s became ${value} s`);
}

/** Retries for a number of failing checks until Down. */
export function roundAttempts(attempts: number): Rounded {
  return bounded(
    Math.round(attempts) - 1,
    [2, 10],
    attempts - 1,
    (value) =>
      `Down after ${attempts} failing ${attempts === 1 ? 'check' : 'checks'} became Retries ${value}`,
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
