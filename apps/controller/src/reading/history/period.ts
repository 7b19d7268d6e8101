import { secondUs } from '@vantage/domain';
import { invalid } from '@vantage/rest-kit/problem';
import type { Zone } from '@vantage/rest-kit/zone';

/** A stretch of time, whole seconds, in microseconds since 1970. */
export interface HistoryPeriod {
  readonly fromUs: number;
  readonly toUs: number;
}

/** Timestamp1 and Timestamp2 as they are sent. */
interface AskedPeriod {
  readonly Timestamp1?: string | undefined;
  readonly Timestamp2?: string | undefined;
}

/**
 * The ends of a period: Timestamp1 (undefined: since creation) and Timestamp2 (default, and at most: now), cut to whole
 * seconds. The second of Timestamp2 is not part of it, so the seconds of adjacent periods add up. Throws a Problem
 * (1004) when the period is reversed.
 */
export function readEnds(
  asked: AskedPeriod,
  { zone, nowUs }: { readonly zone: Zone; readonly nowUs: number },
): { readonly fromUs: number | undefined; readonly toUs: number } {
  const from = asked.Timestamp1 === undefined ? undefined : zone.parse(asked.Timestamp1);
  const to = asked.Timestamp2 === undefined ? undefined : zone.parse(asked.Timestamp2);
  const toUs = wholeSecond(Math.min(to ?? nowUs, nowUs));
  const fromUs = from === undefined ? undefined : wholeSecond(from);
  if (fromUs !== undefined && fromUs > toUs)
    throw invalid([
      {
        field: 'Timestamp1',
        message:
          to === undefined || to > nowUs ? 'must not be in the future' : 'must not be after Timestamp2',
      },
    ]);
  return { fromUs, toUs };
}

/**
 * The start of a device's period that ends at `toUs` and has no Timestamp1: its creation, or the end if it was created
 * later.
 */
export function sinceCreation(createdUs: number, toUs: number): number {
  return Math.min(wholeSecond(createdUs), toUs);
}

/**
 * The period of one device. Throws a Problem (1004) when it is reversed, or ends before the device was created and has
 * no Timestamp1.
 */
export function readPeriod(
  asked: AskedPeriod,
  { zone, createdUs, nowUs }: { readonly zone: Zone; readonly createdUs: number; readonly nowUs: number },
): HistoryPeriod {
  const { fromUs, toUs } = readEnds(asked, { zone, nowUs });
  if (fromUs === undefined && asked.Timestamp2 !== undefined && toUs < wholeSecond(createdUs))
    throw invalid([
      {
        field: 'Timestamp2',
        message: `is ${asked.Timestamp2}, but the device was created later, at ${zone.format(createdUs)}; send Timestamp1 too for a period before that`,
      },
    ]);
  return { fromUs: fromUs ?? sinceCreation(createdUs, toUs), toUs };
}

function wholeSecond(us: number): number {
  return Math.floor(us / secondUs) * secondUs;
}
