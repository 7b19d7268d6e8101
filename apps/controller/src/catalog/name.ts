import type { Kysely } from 'kysely';
import type { Tables } from '../platform/db/index.ts';
import { findByName, type NamedKind } from './name-store.ts';
import type { Conflict } from './refusal.ts';

/**
 * The refusal of a name that another thing of this kind has, as people read it: letter case, composition and characters
 * without width do not count. `ownNo` is the thing that gets the name. Names that were stored before this rule may
 * still be twice. The caller holds the account's lock.
 */
export async function nameConflict(
  trx: Kysely<Tables>,
  { kind, what, accountNo }: { readonly kind: NamedKind; readonly what: string; readonly accountNo: number },
  name: string,
  ownNo: number | undefined,
): Promise<Conflict | undefined> {
  const holder = (await findByName(trx, kind, accountNo, name)).find(({ no }) => no !== ownNo);
  if (holder === undefined) return undefined;
  const of = `the ${what} ${JSON.stringify(holder.name)} (${holder.id})`;
  return {
    kind: 'conflict',
    message: `Name ${JSON.stringify(name)} is taken: ${of} has it. Letter case does not count. Choose another one.`,
    faults: [{ field: 'Name', message: `is the name of ${of}; choose another one` }],
  };
}
