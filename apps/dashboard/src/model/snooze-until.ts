const minuteMs = 60_000;
/** The longest snooze of the API: 99:59. */
export const maxSnoozeMinutes = 99 * 60 + 59;

/**
 * The duration of a snooze with this end, in the format of the API: `01:30`. It is rounded up, so that the alert is
 * not told earlier. Undefined: the moment is not later than now, or too far away.
 */
export function snoozeDuration(untilMs: number, nowMs: number): string | undefined {
  const minutes = Math.ceil((untilMs - nowMs) / minuteMs);
  if (Number.isNaN(minutes) || minutes < 1 || minutes > maxSnoozeMinutes) return undefined;
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
