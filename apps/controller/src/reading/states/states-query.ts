import { boundedText } from '@vantage/kernel';
import { someOf } from '@vantage/rest-kit/members';
import { readTagSets, tagQuery } from '@vantage/rest-kit/named';
import { pageLimit } from '@vantage/rest-kit/paging';
import { invalid } from '@vantage/rest-kit/problem';
import type { Db } from '@vantage/storage';
import { z } from 'zod';
import { deviceListQuery, readDeviceList } from '../../catalog/devices/device-list-query.ts';
import type { DeviceListRequest } from '../../catalog/devices/device-list-request.ts';
import { parseRevision, type Revision } from './revision.ts';

const parts = ['Tags', 'Locations', 'LastCheck', 'Master', 'Day', 'Settings'] as const;

type Part = (typeof parts)[number];

/** Rows of an answer at most: with parts of `With`, or of changes, and without. */
const maxRows = { withParts: 1_000, plain: 10_000 } as const;

/** Whether a query may be answered with more rows than other lists have. */
export const isWidePage = (query: URLSearchParams): boolean => Number(query.get('Limit')) > maxRows.withParts;

/** The query parameters of `GET /states`. */
export const statesQuery = z.object({
  ...deviceListQuery.shape,
  Limit: pageLimit(maxRows.plain, maxRows.withParts).meta({
    description:
      'Most rows to return. More than 10000 is taken as 10000; with With or ChangedSince, more than 1000 is taken as 1000.',
  }),
  Tag: tagQuery('their devices only. Match says how many of them'),
  Match: z
    .enum(['Any', 'All'])
    .default('Any')
    .describe('Any: devices with one of the tags. All: devices with each of them.'),
  With: someOf(parts, 'What each row has besides.'),
  ChangedSince: boundedText(50, 1)
    .optional()
    .describe(
      'The Vantage-Revision of an earlier answer, at most 50 minutes old: only what changed since. Rows with Gone are devices that were deleted or are no longer in the list. A row may appear although nothing changed.',
    )
    .meta({ example: 'mb1ou4ao-2f6-hqy6qs8cdk' }),
});

/** A request for states. */
export interface StatesAsk {
  readonly list: Omit<DeviceListRequest, 'nowUs'>;
  readonly parts: ReadonlySet<Part>;
  /** Undefined: all. */
  readonly since: Revision | undefined;
}

/**
 * Reads the parameters. Throws a Problem: 1003 for a tag, Location or device that the account does not have, 1004 for
 * all other faults.
 */
export async function readStatesAsk(
  db: Db,
  accountNo: number,
  query: z.output<typeof statesQuery>,
): Promise<StatesAsk> {
  const { Tag, Match, With, ChangedSince, ...others } = query;
  const parts = new Set(With);
  const since = readSince(ChangedSince, query);
  const tags = Tag === undefined ? [] : await readTagSets(db, accountNo, Tag);
  const list = await readDeviceList(db, accountNo, others);
  const sets = Match === 'All' || tags.length === 0 ? tags : [tags.flat()];
  const filter = { ...list.filter, tagNos: [...(list.filter.tagNos ?? []), ...sets] };
  const most = parts.size > 0 || since !== undefined ? maxRows.withParts : maxRows.plain;
  const limit = Math.min(list.limit, most);
  return { list: { ...list, filter, limit, withoutResults: true }, parts, since };
}

function readSince(
  text: string | undefined,
  { Sort, Offset }: z.output<typeof statesQuery>,
): Revision | undefined {
  if (text === undefined) return undefined;
  const since = parseRevision(text);
  if (since === undefined)
    throw invalid([{ field: 'ChangedSince', message: 'must be the Vantage-Revision of an earlier answer' }]);
  const other = Sort === undefined ? (Offset === undefined ? undefined : 'Offset') : 'Sort';
  if (other !== undefined)
    throw invalid([
      {
        field: other,
        message:
          'must not be sent together with ChangedSince, whose rows are in the order of creation; page with After',
      },
    ]);
  return since;
}
