import { boundedText } from '@vantage/kernel';
import { invalid } from './problem.ts';
import type { NextPage } from './route.ts';
import { isTimestamp } from './zone.ts';

/** Most rows in one answer. */
export const maxRows = 100;

const digits = (name: string, what: string) =>
  boundedText(100).regex(/^\d+$/, { error: `must be digits only (${name}, ${what})` });

/** `Limit`: digits, from 1; more than 100 is taken as 100. */
const limit = digits('Limit', 'rows to return')
  .transform(Number)
  .refine((rows) => rows >= 1, { error: 'must be at least 1' })
  .transform((rows) => Math.min(rows, maxRows));

const limitOrDefault = limit.default(25).meta({
  description: 'Most rows to return; more than 100 is taken as 100.',
  override: { type: 'integer', minimum: 1, default: 25 },
});

/** `Offset`: digits. */
const sentOffset = digits('Offset', 'rows to skip')
  .transform(Number)
  .refine((rows) => rows <= 1e12, { error: 'must be at most 1000000000000' });

/** `Offset` with its default 0. */
const offset = sentOffset
  .default(0)
  .meta({ description: 'Rows to skip.', override: { type: 'integer', minimum: 0, default: 0 } });

/** The query parameters of a list. */
export const pagingQuery = { Limit: limitOrDefault, Offset: offset } as const;

/** The query parameters of a short list that comes whole where no Limit is given. */
export const wholeOrPageQuery = {
  Limit: limit.default(1_000_000).meta({
    description: 'Most rows to return; more than 100 is taken as 100; default: all.',
    override: { type: 'integer', minimum: 1 },
  }),
  Offset: offset,
} as const;

/** The query parameters of a list, newest first, that a client pages with the id of the last row it has; `id` is the name of that id. */
export function beforeQuery(id: string) {
  return {
    Limit: limitOrDefault,
    Offset: sentOffset.optional().meta({
      description: 'Rows to skip; not together with Before. Rows that are added meanwhile shift it.',
      override: { type: 'integer', minimum: 0, default: 0 },
    }),
    Before: boundedText(100)
      .optional()
      .describe(`A ${id}: the rows that are older than this one. Link: rel="next" uses it.`),
  } as const;
}

/** What `beforeQuery` asks for. Throws a Problem (1004) where Before and Offset were both sent. */
export function readBefore(
  {
    Limit,
    Offset,
    Before,
  }: { readonly Limit: number; readonly Offset?: number | undefined; readonly Before?: string | undefined },
  id: string,
): { readonly limit: number; readonly offset: number; readonly before: string | undefined } {
  if (Before !== undefined && Offset !== undefined)
    throw invalid([
      {
        field: 'Before',
        message: `must not be sent together with Offset; leave Offset out, Before=<${id}> alone returns the rows that are older than that one`,
      },
    ]);
  return { limit: Limit, offset: Offset ?? 0, before: Before };
}

/** A page of a list that was read with one row more than `limit`. The next page begins before its last row. */
export function cutBefore<T>(
  rows: readonly T[],
  limit: number,
  idOf: (row: T) => string,
): { readonly rows: readonly T[]; readonly next: NextPage | undefined } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    rows: page,
    next: rows.length > limit && last !== undefined ? { limit, before: idOf(last) } : undefined,
  };
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
    .refine(isTimestamp, {
      error: "must be ISO 8601 (YYYY-MM-DDThh:mm:ss with Z, ±hh:mm, or none for the account's time zone)",
    })
    .optional()
    .describe(`${description} ${localTime}`);
}
