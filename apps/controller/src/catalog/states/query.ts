import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { readMembers } from '../../rest/http/members.ts';
import { readTagSets, tagQuery } from '../../rest/http/named.ts';
import { pageLimit } from '../../rest/http/paging.ts';
import { invalid } from '../../rest/http/problem.ts';
import type { DeviceListAsk } from '../devices/list-ask.ts';
import { deviceListQuery, readDeviceList } from '../devices/list-query.ts';
import { parseRevision, type Revision } from './revision.ts';

const parts = ['Tags', 'Locations', 'LastCheck', 'Master', 'Day', 'Settings'] as const;
type Part = (typeof parts)[number];

/** The query parameters of `GET /states`. */
export const statesQuery = z.object({
  ...deviceListQuery.shape,
  Limit: pageLimit(1_000, 1_000),
  Tag: tagQuery('their devices only. Match says how many of them'),
  Match: z
    .enum(['Any', 'All'])
    .default('Any')
    .describe('Any: devices with one of the tags. All: devices with each of them.'),
  With: boundedText(100, 1)
    .optional()
    .describe(`What each row has besides: ${parts.join(', ')}, joined by commas.`)
    .meta({ example: 'Tags,Day' }),
  ChangedSince: boundedText(50, 1)
    .optional()
    .describe(
      'The Vantage-Revision of an earlier answer, at most 50 minutes old: only what changed since. Rows with Gone are devices that were deleted or are not in the list any more. A row may come though nothing changed.',
    )
    .meta({ example: 'mb1ou4ao-2f6-hqy6qs8cdk' }),
});

/** A request for states. */
export interface StatesAsk {
  readonly list: Omit<DeviceListAsk, 'nowUs'>;
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
  const asked = new Set(
    With === undefined
      ? []
      : readMembers('With', With, {
          read: (name) => parts.find((each) => each === name),
          accepted: parts.join(', '),
          example: 'Tags,Day',
        }),
  );
  const since = readSince(ChangedSince, query);
  const tags = Tag === undefined ? [] : await readTagSets(db, accountNo, Tag);
  const list = await readDeviceList(db, accountNo, others);
  const sets = Match === 'All' || tags.length === 0 ? tags : [tags.flat()];
  const filter = { ...list.filter, tagNos: [...(list.filter.tagNos ?? []), ...sets] };
  return { list: { ...list, filter, withoutResults: true }, parts: asked, since };
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
