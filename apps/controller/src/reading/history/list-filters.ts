import { locationQuery, readLocationNos } from '@vantage/rest-kit/named';
import type { Session } from '@vantage/rest-kit/session';
import { readSpan, spanQuery, type TimeSpan } from '@vantage/rest-kit/time-span';
import type { Reader } from '@vantage/storage';

/** The query parameters that narrow a list of history to a span of time and to Locations. */
export const historyQuery = {
  ...spanQuery,
  Location: locationQuery('their rows only'),
} as const;

/**
 * The filters of a list: microseconds since 1970 (`fromUs` inclusive, `untilUs` exclusive) and numbers of Locations;
 * undefined narrows nothing.
 */
export interface HistoryFilter extends TimeSpan {
  readonly locationNos: readonly number[] | undefined;
}

/**
 * Reads the filters. Throws a Problem: 1004 where the span is reversed, 1003 for a Location that the account does not
 * have.
 */
export async function readHistoryFilter(
  db: Reader,
  { accountNo, zone }: Pick<Session, 'accountNo' | 'zone'>,
  asked: {
    readonly Timestamp1?: string | undefined;
    readonly Timestamp2?: string | undefined;
    readonly Location?: string | undefined;
  },
): Promise<HistoryFilter> {
  const span = readSpan(asked, zone);
  const locationNos =
    asked.Location === undefined ? undefined : await readLocationNos(db, accountNo, asked.Location);
  return { ...span, locationNos };
}
