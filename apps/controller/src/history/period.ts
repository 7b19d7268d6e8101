import { invalid } from '../http/problem.ts';
import type { Zone } from '../http/zone.ts';

/** A stretch of time, whole seconds, in microseconds since 1970. */
export interface Period {
  readonly fromUs: number;
  readonly toUs: number;
}

const secondUs = 1_000_000;

/**
 * The period between Timestamp1 (default: since creation) and Timestamp2 (default, and at most: now), cut to whole seconds. Throws a Problem (1004) when it
 * is reversed.
 */
export function readPeriod(
  asked: { readonly Timestamp1?: string | undefined; readonly Timestamp2?: string | undefined },
  { zone, createdUs, nowUs }: { readonly zone: Zone; readonly createdUs: number; readonly nowUs: number },
): Period {
  const from = asked.Timestamp1 === undefined ? undefined : zone.parse(asked.Timestamp1);
  const to = asked.Timestamp2 === undefined ? undefined : zone.parse(asked.Timestamp2);
  const toUs = wholeSecond(Math.min(to ?? nowUs, nowUs));
  if (from === undefined) return { fromUs: Math.min(wholeSecond(createdUs), toUs), toUs };
  if (wholeSecond(from) > toUs)
    throw invalid([
      {
        field: 'Timestamp1',
        message:
          to === undefined || to > nowUs ? 'must not be in the future' : 'must not be after Timestamp2',
      },
    ]);
  return { fromUs: wholeSecond(from), toUs };
}

function wholeSecond(us: number): number {
  return Math.floor(us / secondUs) * secondUs;
}
