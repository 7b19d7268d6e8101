import { checkId, dayUs, secondUs } from '@vantage/domain';
import type { OfDevice } from './event-kind.ts';
import type { Point } from './observation.ts';
import type { FoldEvent } from './step.ts';

/** A warning that a check decided. */
export interface OfCheck extends OfDevice {
  readonly check: Point;
  readonly locationNo: number;
  /** The check's end. */
  readonly atUs: number;
}

/** The columns of a warning that a check decided. */
export function warningRow({ deviceNo, check, atUs }: OfCheck) {
  return { status: 'Up' as const, at_us: atUs, check_id: checkId({ deviceNo, ...check }) };
}

/** Whole seconds between two moments. */
export function secondsSince(sinceUs: number, nowUs: number): number {
  return Math.trunc((nowUs - sinceUs) / secondUs);
}

/** Why an anchor counts as reachable again, for people. */
export const anchorEnds = {
  answers: 'answers again',
  removed: 'is not set any more',
  unchecked: 'cannot be checked any more',
} as const;

/** When a certificate ends, for people: `expires in 13 days, at 2026-12-05T10:00:00Z`. */
export function certificateText({
  atUs,
  notAfterUs,
}: {
  readonly atUs: number;
  readonly notAfterUs: number;
}): string {
  const days = Math.floor(Math.abs(notAfterUs - atUs) / dayUs);
  const count = `${days} ${days === 1 ? 'day' : 'days'}`;
  const end = `at ${new Date(notAfterUs / 1000).toISOString().replace('.000', '')}`;
  return notAfterUs > atUs ? `expires in ${count}, ${end}` : `expired ${count} ago, ${end}`;
}

/** The event of a check, for people. */
export function checkText({ type, text, endsPartial }: FoldEvent, failingNames: readonly string[]): string {
  switch (type) {
    case 'Error':
      return `First error, not yet confirmed: ${text}`;
    case 'Recovered':
      return endsPartial ? `Recovered at all Locations: ${text}` : `The retry succeeded: ${text}`;
    case 'Partial':
      return `Fails from ${failingNames.join(', ')} only`;
    case 'Down':
      return `Down: ${text}`;
    case 'Up':
      return `Up: ${text}`;
    case 'Unknown':
      return `Status unknown: ${text}`;
  }
}
