import { isPlainLine, plainLineRule } from '@vantage/domain';
import { boundedText, idForm } from '@vantage/kernel';
import { z } from 'zod';
import type { Zone } from './zone.ts';

/** An id. */
export const idField = z
  .string()
  .regex(new RegExp(`^${idForm}$`))
  .meta({ id: 'Id', description: 'Opaque identifier.' });

/** A timestamp in an answer, in the account's time zone. */
export const timestampField = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/)
  .meta({ id: 'Timestamp', description: "ISO 8601, in the account's time zone." });

/** When a thing was created, and when somebody changed its settings last; nobody sets them. */
export const shownTimes = {
  CreatedAt: timestampField.describe('When it was created.'),
  UpdatedAt: timestampField.describe('When its settings were changed last.'),
} as const;

/** The names of `shownTimes`. */
export const timeNames = ['CreatedAt', 'UpdatedAt'] as const;

/** Shows them. */
export function showTimes(
  row: { readonly created_at: Date; readonly updated_at: Date },
  zone: Pick<Zone, 'format'>,
): { readonly CreatedAt: string; readonly UpdatedAt: string } {
  const at = (date: Date) => zone.format(date.getTime() * 1000);
  return { CreatedAt: at(row.created_at), UpdatedAt: at(row.updated_at) };
}

const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * A text for people in a request: one line of `least` to `most` characters, see `isPlainLine`. It is trimmed and
 * normalized (NFC), and has a visible character where it may not be empty.
 */
export function lineField(most: number, least = 0): z.ZodString {
  const line = boundedText(most, least).normalize('NFC').trim().refine(isPlainLine, { error: plainLineRule });
  return least === 0 ? line : line.refine((text) => visible.test(text), { error: visibleRule });
}

const visibleRule = 'must have a visible character; accepted is for example: Web shop, Berlin';

/** A flag in a query: `true` or `Y`, `false` or `N`; undefined where it is absent. */
export function flagQuery(description: string) {
  return z
    .enum(['true', 'Y', 'false', 'N'])
    .transform((text) => text === 'true' || text === 'Y')
    .optional()
    .meta({ description, override: { type: 'string', enum: ['true', 'Y', 'false', 'N'] }, example: 'true' });
}
