import { isPlainLine, plainLineRule } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import { z } from 'zod';

/** An id: 48 lowercase hex characters. */
export const idField = z
  .string()
  .regex(/^[0-9a-f]{48}$/)
  .meta({ id: 'Id', description: 'Opaque identifier.' });

/** A timestamp in an answer, in the account's time zone. */
export const timestampField = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/)
  .meta({ id: 'Timestamp', description: "ISO 8601, in the account's time zone." });

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
