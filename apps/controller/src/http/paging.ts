import { boundedText } from '@vantage/kernel';
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

/** `Offset`: digits; default 0. */
const offset = digits('Offset', 'rows to skip')
  .transform(Number)
  .refine((rows) => rows <= 1e12, { error: 'must be at most 1000000000000' })
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

/** The page after this one, where there is one. */
export function nextPage(
  total: number,
  { Limit, Offset }: { readonly Limit: number; readonly Offset: number },
): { limit: number; offset: number } | undefined {
  return Offset + Limit < total ? { limit: Limit, offset: Offset + Limit } : undefined;
}

/** A timestamp in a query; what it means depends on the account's zone, so a handler reads it. */
export const timestampQuery = boundedText(100)
  .refine(isTimestamp, {
    error: "must be ISO 8601 (YYYY-MM-DDThh:mm:ss with Z, ±hh:mm, or none for the account's time zone)",
  })
  .optional();

/** What a list asked for with one row more than wanted says about the next page. */
export function cutPage<T>(
  rows: readonly T[],
  { Limit, Offset }: { readonly Limit: number; readonly Offset: number },
): { readonly rows: readonly T[]; readonly next: { limit: number; offset: number } | undefined } {
  return {
    rows: rows.slice(0, Limit),
    next: rows.length > Limit ? { limit: Limit, offset: Offset + Limit } : undefined,
  };
}
