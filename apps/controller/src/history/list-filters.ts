import { boundedText } from '@vantage/kernel';
import type { Db } from '../db/index.ts';
import { timestampQuery } from '../http/paging.ts';
import { invalid, missing } from '../http/problem.ts';
import type { Session } from '../http/session.ts';
import type { Zone } from '../http/zone.ts';
import { readUntil } from './period.ts';

/** The query parameters that narrow a list of history to a span of time and to one Location. */
export const historyQuery = {
  Timestamp1: timestampQuery(
    'Rows from this moment on. A timestamp in whole seconds includes that whole second.',
  ),
  Timestamp2: timestampQuery(
    'Rows up to this moment. A timestamp in whole seconds includes that whole second.',
  ),
  Location: boundedText(200)
    .optional()
    .describe('Name or id of a Location: its rows only.')
    .meta({ example: 'local' }),
} as const;

/** What narrows a list: microseconds since 1970 (`fromUs` inclusive, `untilUs` exclusive) and numbers of Locations; undefined narrows nothing. */
export interface HistoryFilter {
  readonly fromUs: number | undefined;
  readonly untilUs: number | undefined;
  readonly locationNos: readonly number[] | undefined;
}

/** Reads the filters. Throws a Problem: 1004 where the span is reversed, 1003 for a Location that the account does not have. */
export async function readHistoryFilter(
  db: Db,
  { accountNo, zone }: Session,
  asked: {
    readonly Timestamp1?: string | undefined;
    readonly Timestamp2?: string | undefined;
    readonly Location?: string | undefined;
  },
): Promise<HistoryFilter> {
  const span = readSpan(asked, zone);
  const locationNos =
    asked.Location === undefined ? undefined : await findLocationNos(db, accountNo, asked.Location);
  if (locationNos?.length === 0) throw missing('Location');
  return { ...span, locationNos };
}

/** The span of a list, `untilUs` exclusive. Throws a Problem (1004) where it is reversed. */
export function readSpan(
  asked: { readonly Timestamp1?: string | undefined; readonly Timestamp2?: string | undefined },
  zone: Zone,
): Pick<HistoryFilter, 'fromUs' | 'untilUs'> {
  const fromUs = asked.Timestamp1 === undefined ? undefined : zone.parse(asked.Timestamp1);
  const untilUs = asked.Timestamp2 === undefined ? undefined : readUntil(asked.Timestamp2, zone);
  if (fromUs !== undefined && untilUs !== undefined && fromUs > untilUs)
    throw invalid([{ field: 'Timestamp1', message: 'must not be after Timestamp2' }]);
  return { fromUs, untilUs };
}

/** Reads a list that is joined by commas. `accepted` describes its members to people. Throws a Problem (1004) that names the member that is none. */
export function readMembers<T>(
  field: string,
  text: string,
  {
    read,
    accepted,
    example,
  }: {
    readonly read: (member: string) => T | undefined;
    readonly accepted: string;
    readonly example: string;
  },
): readonly T[] {
  return text.split(',').map((member) => {
    const value = read(member);
    if (value === undefined)
      throw invalid([
        {
          field,
          message: `has the value "${member.slice(0, 100)}", but accepted is ${accepted}, joined by commas; for example ${field}=${example}`,
        },
      ]);
    return value;
  });
}

/** The account's Locations with this name or id. */
export async function findLocationNos(
  { kysely }: Db,
  accountNo: number,
  text: string,
): Promise<readonly number[]> {
  const rows = await kysely
    .selectFrom('locations')
    .select('location_no')
    .where('account_no', '=', accountNo)
    .where((where) => where.or([where('name', '=', text), where('location_id', '=', text)]))
    .execute();
  return rows.map(({ location_no }) => location_no);
}
