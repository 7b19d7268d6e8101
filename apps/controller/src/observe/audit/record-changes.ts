import { type Clock, newId } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { insertEntries, nameOfKey } from './audit-store.ts';

/**
 * The author of a change: a caller of the REST API with key and address, a caller without a key, or the operator by a
 * command.
 */
type ChangeAuthor =
  | { readonly kind: 'api-key'; readonly keyNo: number; readonly address: string }
  | { readonly kind: 'stranger'; readonly address: string }
  | { readonly kind: 'command-line' };

/** The changes that one transaction made. The values of the fields are as the API shows them, secrets masked. */
interface AuditedChanges {
  readonly actor: ChangeAuthor;
  readonly changes: readonly {
    readonly action: 'create' | 'update' | 'delete' | 'refuse';
    readonly kind: string;
    readonly accountNo: number;
    readonly id: string;
    readonly fields: readonly { readonly field: string; readonly old: unknown; readonly new: unknown }[];
  }[];
}

/**
 * A longer value (its JSON text, UTF-16 units) is cut, so that a changed script of 64 KiB makes no
 * row of 128 KiB.
 */
const maxValueLength = 4_096;

/** Creates the function that writes the audit's entries in the transaction that makes the changes. */
export function createChangeRecorder({
  clock,
  operator = 'command line',
}: {
  readonly clock: Pick<Clock, 'nowUs'>;
  /** The actor of changes by a command. */
  readonly operator?: string;
}) {
  return async (trx: Kysely<Tables>, { actor, changes }: AuditedChanges): Promise<void> => {
    const by = columnsOf(actor, operator);
    await insertEntries(
      trx,
      changes.map(({ action, kind, accountNo, id, fields }) => ({
        ...by,
        audit_id: newId(),
        account_no: accountNo,
        at_us: clock.nowUs(),
        action,
        kind,
        id,
        changes: JSON.stringify(
          fields.map((change) => ({
            Field: change.field,
            Old: shortened(change.old),
            New: shortened(change.new),
          })),
        ),
      })),
    );
  };
}

function columnsOf(actor: ChangeAuthor, operator: string) {
  switch (actor.kind) {
    case 'command-line':
      return { actor: sql<string>`${operator}`, address: null };
    case 'stranger':
      return { actor: sql<string>`'stranger'`, address: actor.address };
    case 'api-key':
      return { actor: nameOfKey(actor.keyNo), address: actor.address };
  }
}

/** The value, or the start of its text where it is too long. Pure. */
function shortened(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length <= maxValueLength) return value;
  return `${text.slice(0, maxValueLength).toWellFormed()}… (${text.length} characters)`;
}
