import { minuteUs, secondUs } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import { invalid } from '../serve/problem.ts';
import { timestampQuery } from './paging.ts';
import type { Zone } from './zone.ts';

/** The query parameters that narrow a list to a span of time. */
export const spanQuery = {
  Timestamp1: timestampQuery(
    'Rows from this moment on. A timestamp in whole seconds includes that whole second.',
  ),
  Timestamp2: timestampQuery(
    'Rows up to this moment. A timestamp in whole seconds includes that whole second.',
  ),
} as const;

/** A span of time: microseconds since 1970, `fromUs` inclusive, `untilUs` exclusive; undefined narrows nothing. */
export interface TimeSpan {
  readonly fromUs: number | undefined;
  readonly untilUs: number | undefined;
}

/** The span of a list, `untilUs` exclusive. Throws a Problem (1004) where it is reversed. */
export function readSpan(
  query: { readonly Timestamp1?: string | undefined; readonly Timestamp2?: string | undefined },
  zone: Zone,
): TimeSpan {
  const fromUs = query.Timestamp1 === undefined ? undefined : zone.parse(query.Timestamp1);
  const untilUs = query.Timestamp2 === undefined ? undefined : readUntil(query.Timestamp2, zone);
  if (fromUs !== undefined && untilUs !== undefined && fromUs > untilUs)
    throw invalid([{ field: 'Timestamp1', message: 'must not be after Timestamp2' }]);
  return { fromUs, untilUs };
}

/**
 * The first microsecond after what a timestamp includes as the end of a list; undefined: it is no timestamp. Answers
 * show whole seconds, so a timestamp in whole seconds means all of that second. One with a fraction is the end itself.
 */
export function readUntil(text: string, zone: Zone): number | undefined {
  const us = zone.parse(text);
  return us === undefined || text.includes('.') ? us : us + secondUs;
}

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
