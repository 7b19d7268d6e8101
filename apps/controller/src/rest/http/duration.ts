import { minuteUs } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';

const durationRule = 'must be hours and minutes as HH:MM from 00:01 to 99:59, for example 01:30';

/** `HH:MM` from 00:01 to 99:59. */
export const durationField = boundedText(100)
  .regex(/^\d\d:[0-5]\d$/, durationRule)
  .refine((text) => text !== '00:00', durationRule);

/** The microseconds of `HH:MM`. */
export function readDuration(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return (hours * 60 + minutes) * minuteUs;
}

/** Seconds as `HH:MM`. */
export function durationText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
