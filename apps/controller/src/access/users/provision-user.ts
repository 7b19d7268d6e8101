import { newId } from '@vantage/kernel';
import { publish, type Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import type { GroupRights } from '../../config/oidc-settings.ts';
import { lockAccount } from '../../resources/account-lock.ts';
import type { ChangeTransaction } from '../../resources/change.ts';
import { changedFields, createdFields } from '../../resources/field-changes.ts';
import { refuseBeyondLimit } from '../../resources/limited-kinds.ts';
import type { Invalid } from '../../resources/refusal.ts';
import { insertKeyOf } from '../keys/issue-key.ts';
import { namesOfTags } from '../keys/key-scope.ts';
import { updateKey } from '../keys/key-store.ts';
import { insertUser, readUserByEmail } from './user-store.ts';

/** A person whom a group of the sign-in provider admits. */
interface Member {
  readonly accountNo: number;
  /** In small letters. */
  readonly email: string;
  readonly name: string;
  readonly rights: GroupRights;
}

/**
 * Gives a person who comes by a group the rights of that group; who is not known yet is created, without an invitation.
 * Tags that the account does not have are in no scope. Every controller knows of the rights within 5 s.
 */
export async function provisionUser(
  transaction: ChangeTransaction,
  { accountNo, email, name, rights }: Member,
): Promise<{ readonly kind: 'known'; readonly keyNo: number } | Invalid> {
  const { trx } = transaction;
  await lockAccount(trx, accountNo);
  const { level } = rights;
  const tagNos = await tagsNamed(trx, accountNo, rights.tags);
  const user = await readUserByEmail(trx, accountNo, email);
  const Tags = await namesOfTags(trx, tagNos);
  if (user === undefined) {
    const refusal = await refuseBeyondLimit(transaction, 'users', accountNo);
    if (refusal !== undefined) return refusal;
    const [userId, keyId] = [newId(), newId()];
    await insertKeyOf(transaction, { keyId, accountNo, name, level, tagNos, createdBy: 'sign-in provider' });
    const keyNo = await insertUser(transaction, { userId, accountNo, keyId, email });
    const fields = createdFields({ Name: name, Email: email, Level: level, ...(Tags && { Tags }) });
    transaction.record({ action: 'create', kind: 'user', accountNo, id: userId, fields });
    return { kind: 'known', keyNo };
  }
  const { keyNo, userId } = user;
  const old = { Name: user.name, Level: user.level, Tags: await namesOfTags(trx, user.tagNos) };
  const next = { Name: name, Level: level, Tags };
  const fields = (['Name', 'Level', 'Tags'] as const).filter(
    (field) => JSON.stringify(old[field]) !== JSON.stringify(next[field]),
  );
  if (fields.length === 0) return { kind: 'known', keyNo };
  await updateKey(transaction, keyNo, { name, level, expiresUs: null, tagNos: tagNos && [...tagNos] });
  await publish(trx, 'revoked', { agent_nos: [], key_nos: [keyNo] });
  const changes = changedFields(fields, old, next);
  transaction.record({ action: 'update', kind: 'user', accountNo, id: userId, fields: changes });
  return { kind: 'known', keyNo };
}

async function tagsNamed(
  trx: Kysely<Tables>,
  accountNo: number,
  names: GroupRights['tags'],
): Promise<readonly number[] | null> {
  if (names === null) return null;
  const rows = await trx
    .selectFrom('tags')
    .select('tag_no')
    .where('account_no', '=', accountNo)
    .where('name', 'in', names)
    .orderBy('tag_no')
    .execute();
  return rows.map(({ tag_no }) => tag_no);
}
