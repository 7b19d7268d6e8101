import { newId } from '@vantage/kernel';
import type { Level } from '@vantage/rest-kit/session';
import { hashCredential, newCredential } from '@vantage/storage/secrets/credential';
import { hashPassword } from '@vantage/storage/secrets/password';
import type { ChangeTransaction } from '../../resources/change.ts';
import { createdFields } from '../../resources/field-changes.ts';
import { namesOfTags, type Scope } from './key-scope.ts';
import { findGrantor, insertKey, noHint } from './key-store.ts';

/** Issues a key. The answer holds the key; the database keeps only its hash. */
export async function issueKey(
  transaction: ChangeTransaction,
  given: NewKey,
): Promise<{ readonly keyId: string; readonly key: string }> {
  const { accountNo, basic, level, name, expiresUs = null, tagNos = null, key = newCredential() } = given;
  const keyId = newId();
  const grantor = await findGrantor(transaction);
  await insertKey(transaction, {
    keyId,
    accountNo,
    name,
    keyHash: hashCredential(key),
    hint: key.slice(0, 6),
    level,
    basicUser: basic?.user ?? null,
    basicHash: basic === undefined ? null : await hashPassword(basic.password),
    expiresUs,
    tagNos: tagNos && [...tagNos],
    createdBy: grantor?.name ?? 'command line',
  });
  const Tags = await namesOfTags(transaction.trx, tagNos);
  const fields = createdFields({ Level: level, Name: name, ...(Tags && { Tags }) });
  transaction.record({ action: 'create', kind: 'key', accountNo, id: keyId, fields });
  return { keyId, key };
}

/** Inserts the key that represents a person. It is never issued. */
export async function insertKeyOf(
  transaction: ChangeTransaction,
  {
    keyId,
    accountNo,
    name,
    level,
    tagNos,
    createdBy = 'command line',
  }: Pick<NewKey, 'accountNo' | 'name' | 'level'> & {
    readonly keyId: string;
    readonly tagNos: Scope;
    /** The creator, if it was no key. */
    readonly createdBy?: string;
  },
): Promise<void> {
  const grantor = await findGrantor(transaction);
  const keyHash = hashCredential(newCredential());
  const plain = {
    hint: noHint,
    basicUser: null,
    basicHash: null,
    expiresUs: null,
    tagNos: tagNos && [...tagNos],
  };
  const by = grantor?.name ?? createdBy;
  await insertKey(transaction, { ...plain, keyId, accountNo, name, level, keyHash, createdBy: by });
}

/** The key that is to be issued. */
export interface NewKey {
  readonly accountNo: number;
  readonly level: Level;
  readonly name: string;
  /** When it stops working, epoch microseconds; undefined: never. */
  readonly expiresUs?: number | null | undefined;
  /** The tags to which it is limited; undefined: it is not. */
  readonly tagNos?: Scope | undefined;
  /** With these every request must carry them too (HTTP Basic). */
  readonly basic?: { readonly user: string; readonly password: string } | undefined;
  /** A key that was made before, for a database that does not know it. */
  readonly key?: string | undefined;
}
