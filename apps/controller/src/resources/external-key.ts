import { boundedText, type FieldFault, isId, sentFault, withoutControls } from '@vantage/kernel';
import { missingReason, type NamedThing } from '@vantage/rest-kit/problem';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { createShape, type Fields, factOf, shownShape } from './field-table.ts';
import type { Conflict } from './refusal.ts';

const unprintable = /[\p{C}\p{Zl}\p{Zp}]/u;

const printable = (most: number, example: string) => {
  const rule = `must be 1 to ${most} printable characters; accepted is for example: ${example}`;
  return boundedText(most, 1)
    .regex(withoutControls, { error: rule, abort: true })
    .refine((text) => !unprintable.test(text), { error: rule });
};

/** The client's own identity of a thing, and who manages it. */
export const identityTable = {
  ExternalKey: {
    column: 'external_key',
    schema: printable(128, 'shop/web-1'),
    text: "The client's own identity of it; null: none.",
    sentText: "The client's own identity, unique among the account's things of this kind; null: none.",
    example: 'cmdb-4711',
    byDefault: null,
  },
  Source: {
    column: 'source',
    schema: printable(200, 'net/berlin'),
    text: 'The source that manages it; null: none.',
    sentText: 'The source that manages it, such as the `source` of a file of `vantage apply`; null: none.',
    example: 'net/berlin',
    byDefault: null,
  },
} as const satisfies Fields;
const { ExternalKey, Source } = identityTable;

/** Names another thing of the account: its id, or `key:` and its ExternalKey. */
export const referenceField = boundedText(140);

/** Narrows a list to the thing with this key, or to the things of one source. */
export const identityQuery = {
  ExternalKey: ExternalKey.schema
    .optional()
    .meta({ description: 'The one with this ExternalKey only.', fact: factOf(ExternalKey) }),
  Source: Source.schema
    .optional()
    .meta({ description: 'Those with this Source only.', example: Source.example }),
};

/** Identity in a request; null clears it. */
export const identityFields = createShape(identityTable);

/** The same as answers show it. */
export const shownIdentity = shownShape(identityTable);

/** Identity as it was sent: what is absent stays. */
interface SentIdentity {
  readonly ExternalKey?: string | null | undefined;
  readonly Source?: string | null | undefined;
}

/** Identity as the database stores it. */
export interface SourceIdentity {
  readonly externalKey: string | null;
  readonly source: string | null;
}

/** Identity as the ORM reads it. */
interface Stored {
  readonly externalKey?: string | null | undefined;
  readonly source?: string | null | undefined;
}

/** Lays the sent identity over the stored one. */
export function resolveIdentity(
  { ExternalKey, Source }: SentIdentity,
  stored: Stored | undefined,
): SourceIdentity {
  return {
    externalKey: ExternalKey === undefined ? (stored?.externalKey ?? null) : ExternalKey,
    source: Source === undefined ? (stored?.source ?? null) : Source,
  };
}

/** Identity as the API shows it. */
export function showIdentity({ externalKey, source }: SourceIdentity): {
  readonly ExternalKey: string | null;
  readonly Source: string | null;
} {
  return { ExternalKey: externalKey, Source: source };
}

/** Identity of a row as the API shows it. */
export function showRowIdentity(row: {
  readonly external_key: string | null;
  readonly source: string | null;
}): ReturnType<typeof showIdentity> {
  return { ExternalKey: row.external_key, Source: row.source };
}

/** The refusal of a key that another thing has. */
export function keyTaken(key: string, holder: string): Conflict {
  return {
    kind: 'conflict',
    reason: 'external_key_taken',
    message: `ExternalKey ${JSON.stringify(key)} belongs to ${holder} already. Choose another one, or clear it there with null.`,
    faults: [{ field: 'ExternalKey', message: `belongs to ${holder} already`, reason: 'external_key_taken' }],
  };
}

/**
 * The refusal of a key that another thing of this kind has. `ownNo` is the thing that gets the key. The caller holds
 * the account's lock.
 */
export async function keyConflict(
  trx: Kysely<Tables>,
  { kind, what, accountNo }: { readonly kind: KeyedKind; readonly what: string; readonly accountNo: number },
  key: string | null,
  ownNo: number | undefined,
): Promise<Conflict | undefined> {
  if (key === null) return undefined;
  const holder = await findByExternalKey(trx, kind, accountNo, key);
  return holder === undefined || holder.no === ownNo ? undefined : keyTaken(key, `the ${what} ${holder.id}`);
}

/** Kinds of things that may have a key of the client. */
type KeyedKind =
  | 'device'
  | 'tag'
  | 'location'
  | 'contact'
  | 'nschedule'
  | 'mschedule'
  | 'hook'
  | 'page'
  | 'report';

/**
 * The number and id of the account's thing of this kind with this key. The caller that writes keys holds the account's
 * lock.
 */
export async function findByExternalKey(
  db: Kysely<Tables>,
  kind: KeyedKind,
  accountNo: number,
  key: string,
): Promise<{ readonly no: number; readonly id: string } | undefined> {
  const table = sql.table(`${kind}s`);
  const [no, id] = [sql.ref(`${kind}_no`), sql.ref(`${kind}_id`)];
  const { rows } = await sql<{ no: number; id: string }>`
    select ${no} as no, ${id} as id from ${table} where account_no = ${accountNo} and external_key = ${key}`.execute(
    db,
  );
  return rows[0];
}

const byKey = 'key:';

/**
 * The id of a thing that a request names by its id, or by `key:` and its ExternalKey. undefined: the text is no id, or
 * the account has nothing with this key. Whether there is a thing with the id is not looked up.
 */
export async function namedId(
  db: Kysely<Tables>,
  kind: KeyedKind,
  accountNo: number,
  text: string,
): Promise<string | undefined> {
  if (!text.startsWith(byKey)) return isId(text) ? text : undefined;
  const found = await findByExternalKey(db, kind, accountNo, text.slice(byKey.length));
  return found?.id;
}

/** The fault of a text that names nothing. `must` says what the field takes. */
export function referenceFault(field: string, what: NamedThing, must: string, text: string): FieldFault {
  const accepted = text.startsWith(byKey) ? `${must}, or key: and its ExternalKey` : must;
  return { ...sentFault(field, accepted, text), reason: missingReason(what) };
}

/** The fault of a text that names no tag, or `found` ones, because names were not unique once. */
export function tagFault(field: string, text: string, found = 0): FieldFault {
  const name = JSON.stringify(text.slice(0, 60));
  if (found > 1)
    return {
      field,
      message: `names ${name}, which is the name of several tags; send the tag_id of one of them`,
    };
  const message = `There is no tag ${name}. Create it first with POST /tags`;
  return { field, message, reason: missingReason('tag') };
}
