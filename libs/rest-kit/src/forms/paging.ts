import { boundedText } from '@vantage/kernel';
import { invalid } from '../serve/problem.ts';
import type { NextPage } from '../serve/route.ts';
import { timestampProblem } from './zone.ts';

/** Most rows in one answer. */
const maxRows = 100;

const digits = (name: string, what: string) =>
  boundedText(100).regex(/^\d+$/, { error: `must be ${what} in digits, for example ${name}=25` });

/** `Limit`: digits, from 1; more than `most` is taken as `most`. */
const limitUpTo = (most: number) =>
  digits('Limit', 'the number of rows to return')
    .transform(Number)
    .refine((rows) => rows >= 1, { error: 'must be at least 1 row, for example Limit=25' })
    .transform((rows) => Math.min(rows, most));
const limit = limitUpTo(maxRows);

/** `Limit` of a list whose answers have up to `most` rows. */
export function pageLimit(most: number, usual: number) {
  return limitUpTo(most)
    .default(usual)
    .meta({
      description: `Most rows to return; more than ${most} is taken as ${most}.`,
      override: { type: 'integer', minimum: 1, default: usual },
    });
}

/** Rows of a page where no Limit is sent. */
export const usualRows = 25;
const limitOrDefault = pageLimit(maxRows, usualRows);

/** `Limit` of a list that has to know whether it was sent; undefined means `usualRows`. */
export const sentLimit = limit.optional().meta({
  description: `Most rows to return; more than ${maxRows} is taken as ${maxRows}.`,
  override: { type: 'integer', minimum: 1, default: usualRows },
});

/** `Offset`: digits. */
const sentOffset = digits('Offset', 'the number of rows to skip')
  .transform(Number)
  .refine((rows) => rows <= 1e12, { error: 'must be at most 1000000000000 rows' });

/** `Offset` with its default 0. */
const offset = sentOffset
  .default(0)
  .meta({ description: 'Rows to skip.', override: { type: 'integer', minimum: 0, default: 0 } });

/** The query parameters of a short list that comes whole where no Limit is given. */
export const wholeOrPageQuery = {
  Limit: limit.default(1_000_000).meta({
    description: 'Most rows to return; more than 100 is taken as 100; default: all.',
    override: { type: 'integer', minimum: 1 },
  }),
  Offset: offset,
} as const;

/** The query parameters of a list that is paged by rows to skip only. */
export const pageQuery = { Limit: limitOrDefault, Offset: offset } as const;

const exampleId = '8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d';

const offsetOfCursor = (cursor: 'Before' | 'After') =>
  sentOffset.optional().meta({
    description: `Rows to skip; not together with ${cursor}. Rows that are added meanwhile shift it.`,
    override: { type: 'integer', minimum: 0, default: 0 },
  });

const cursorField = (id: string, relation: string) =>
  boundedText(100)
    .optional()
    .describe(`A ${id}: the rows that ${relation} this one. Link: rel="next" uses it.`)
    .meta({ example: exampleId });

/**
 * The query parameters of a list, newest first, that a client pages with the id of the last row it has; `id` is the
 * name of that id.
 */
export function beforeQuery(id: string) {
  const Before = cursorField(id, 'are older than');
  return { Limit: limitOrDefault, Offset: offsetOfCursor('Before'), Before } as const;
}

/** The query parameters of a list in the order of creation that a client pages with the id of the last row it has. */
export function afterQuery(id: string) {
  const After = cursorField(id, 'were created after');
  return { Limit: limitOrDefault, Offset: offsetOfCursor('After'), After } as const;
}

/** A page of a list: by the number of rows to skip, or by the id of the adjacent row. */
export interface CursorPage {
  readonly limit: number;
  readonly offset: number;
  readonly cursor: string | undefined;
}

/**
 * The position that `beforeQuery` or `afterQuery` names. Throws a Problem (1004) where the id and Offset were both
 * sent.
 */
export function readCursor(
  query: {
    readonly Limit: number;
    readonly Offset?: number | undefined;
    readonly Before?: string | undefined;
    readonly After?: string | undefined;
  },
  id: string,
): CursorPage {
  const cursor = query.Before ?? query.After;
  const field = query.Before === undefined ? 'After' : 'Before';
  if (cursor !== undefined && query.Offset !== undefined)
    throw invalid([
      {
        field,
        message: `must not be sent together with Offset; leave Offset out, ${field}=<${id}> alone returns the rows that follow it in the list`,
      },
    ]);
  return { limit: query.Limit, offset: query.Offset ?? 0, cursor };
}

/** A page of a list that was read with one row more than `limit`. The next page begins beside its last row. */
export function cutCursor<T>(
  rows: readonly T[],
  limit: number,
  direction: 'before' | 'after',
  idOf: (row: T) => string,
): { readonly rows: readonly T[]; readonly next: NextPage | undefined } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  if (rows.length <= limit || last === undefined) return { rows: page, next: undefined };
  const id = idOf(last);
  return { rows: page, next: { limit, ...(direction === 'before' ? { before: id } : { after: id }) } };
}

/** The page after this one, where there is one. */
export function nextPage(
  total: number,
  { Limit, Offset }: { readonly Limit: number; readonly Offset: number },
): { limit: number; offset: number } | undefined {
  return Offset + Limit < total ? { limit: Limit, offset: Offset + Limit } : undefined;
}

const localTime =
  'Without an offset it is a local time of the account: of a time that a clock change shows twice the earlier one, and a time that a clock change skips counts with the offset before the change.';

/** A timestamp in a query; what it means depends on the account's zone, so a handler reads it. */
export function timestampQuery(description: string) {
  return boundedText(100)
    .refine((text) => timestampProblem(text) === undefined, {
      error: ({ input }) => timestampProblem(String(input)) ?? '',
    })
    .optional()
    .describe(`${description} ${localTime}`)
    .meta({ example: '2026-02-25T22:38:03+01:00' });
}
