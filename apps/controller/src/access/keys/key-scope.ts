import type { FieldFault } from '@vantage/kernel';
import { boundedText } from '@vantage/kernel';
import { idField, lineField } from '@vantage/rest-kit/field';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { findTags } from '../../catalog/devices/referenced-tags.ts';
import { tagFault } from '../../resources/external-key.ts';
import type { Invalid } from '../../resources/refusal.ts';

/** The tags to which a caller is limited, by number; null: no limit. */
export type Scope = readonly number[] | null;

/**
 * The tags to which a caller is limited, as clients send them: names, ids or objects; undefined leaves them as they
 * are.
 */
export type SentScope = readonly (string | { readonly tag_id: string })[] | null | undefined;

/** `Tags` of a body. */
export const scopeField = z
  .array(
    z.union([
      lineField(200, 1),
      z.strictObject({ tag_id: boundedText(100), Name: boundedText(200).optional() }),
    ]),
  )
  .max(100)
  .nullable()
  .describe(
    'Limits it to the devices that have one of these tags and to what belongs to them: names, ids, or the objects that a GET returns; null: no limit.',
  );

/** `Tags` of an answer. */
export const shownScope = z
  .array(z.strictObject({ tag_id: idField, Name: z.string() }))
  .nullable()
  .describe('The tags to which it is limited; null: it is not limited.');

/** The numbers of the tags that were sent, or the fault of one that the account does not have. */
export async function readScope(
  db: Kysely<Tables>,
  accountNo: number,
  sent: SentScope,
): Promise<{ readonly scope: Scope | undefined } | Invalid> {
  if (sent === undefined || sent === null) return { scope: sent };
  const texts = sent.map((each) => (typeof each === 'string' ? each : each.tag_id));
  const known = await findTags(db, accountNo, texts);
  const faults: FieldFault[] = [];
  const nos = texts.flatMap((text) => {
    const tags = known.filter(({ tag_id, name }) => tag_id === text || name === text);
    if (tags.length === 0) faults.push(tagFault('Tags', text));
    return tags.map(({ tag_no }) => tag_no);
  });
  if (faults.length > 0) return { kind: 'invalid', faults };
  return { scope: [...new Set(nos)].sort((a, b) => a - b) };
}

/** The names of these tags, for the audit; null: no limit. */
export async function namesOfTags(db: Kysely<Tables>, scope: Scope): Promise<readonly string[] | null> {
  if (scope === null) return null;
  const { rows } = await sql<{ name: string }>`
    select name from tags where tag_no = any (${scope}::int[]) order by name`.execute(db);
  return rows.map(({ name }) => name);
}

/** The tags of a scope that are still there, for an expression over the column `tag_nos`. */
export const shownTags = sql<
  z.infer<typeof shownScope>
>`(select case when k.tag_nos is null then null else coalesce((
    select jsonb_agg(jsonb_build_object('tag_id', t.tag_id, 'Name', t.name) order by t.name)
    from tags t where t.tag_no = any (k.tag_nos)), '[]'::jsonb) end)`;
