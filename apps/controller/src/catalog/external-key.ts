import { boundedText } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../db/index.ts';
import { findByExternalKey, type KeyedKind } from './external-key-store.ts';
import type { Conflict } from './refusal.ts';

const key = boundedText(128, 1).regex(
  /^[^\p{C}\p{Zl}\p{Zp}]+$/u,
  'must be 1 to 128 printable characters; accepted is for example: shop/web-1',
);

/** Narrows a list to the thing with this key. */
export const externalKeyQuery = key.optional().describe('The one with this ExternalKey only.');

/** The client's own identity of a thing, in a request; null clears it. */
export const externalKeyField = key
  .nullable()
  .optional()
  .describe("The client's own identity, unique among the account's things of this kind; null: none.");

/** The refusal of a key that another thing has. */
export function keyTaken(key: string, holder: string): Conflict {
  return {
    kind: 'conflict',
    message: `ExternalKey ${JSON.stringify(key)} belongs to ${holder} already. Choose another one, or clear it there with null.`,
    faults: [{ field: 'ExternalKey', message: `belongs to ${holder} already` }],
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
