import { newId } from '@vantage/kernel';
import { publish } from '../../db/index.ts';
import { hashCredential, newCredential } from '../../secrets/credential.ts';
import { hashPassword } from '../../secrets/password.ts';
import type { ChangeTransaction } from '../change.ts';
import { changedFields, createdFields } from '../field-change.ts';
import { findKeysInForce, insertKey, markKeyRevoked } from './store.ts';

/** The key that is to be issued. */
export interface NewKey {
  readonly accountNo: number;
  readonly level: 'UW' | 'UO' | 'UR';
  readonly name: string;
  /** With these every request must carry them too (HTTP Basic). */
  readonly basic?: { readonly user: string; readonly password: string } | undefined;
  /** A key that was made before, for a database that does not know it. */
  readonly key?: string | undefined;
}

/** Issues a key. The answer holds the key; the database keeps only its hash. */
export async function issueKey(
  transaction: ChangeTransaction,
  given: NewKey,
): Promise<{ readonly keyId: string; readonly key: string }> {
  const { accountNo, basic, level, name, key = newCredential() } = given;
  const keyId = newId();
  await insertKey(transaction, {
    keyId,
    accountNo,
    name,
    keyHash: hashCredential(key),
    hint: key.slice(0, 6),
    level,
    basicUser: basic?.user ?? null,
    basicHash: basic === undefined ? null : await hashPassword(basic.password),
  });
  const fields = createdFields({ Level: level, Name: name });
  transaction.record({ action: 'create', kind: 'key', accountNo, id: keyId, fields });
  return { keyId, key };
}

/** The outcome of a request to revoke a key. */
export type KeyRevocation =
  | { readonly kind: 'revoked'; readonly keyId: string }
  | { readonly kind: 'missing' }
  /** Several keys in force have this hint. */
  | { readonly kind: 'ambiguous' };

/** Revokes a key by its id or hint. The commit notifies every controller, which refuses the key within 5 s. */
export async function revokeKey(transaction: ChangeTransaction, idOrHint: string): Promise<KeyRevocation> {
  const [key, another] = await findKeysInForce(transaction, idOrHint);
  if (key === undefined) return { kind: 'missing' };
  if (another !== undefined) return { kind: 'ambiguous' };
  const { accountNo, keyId, keyNo } = key;
  await markKeyRevoked(transaction, keyNo);
  await publish(transaction.trx, 'revoked', { agent_nos: [], key_nos: [keyNo] });
  const fields = changedFields(['Revoked'], { Revoked: false }, { Revoked: true });
  transaction.record({ action: 'update', kind: 'key', accountNo, id: keyId, fields });
  return { kind: 'revoked', keyId };
}
