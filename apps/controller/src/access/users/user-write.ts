import { newId } from '@vantage/kernel';
import { emailKey, passwordKey } from '@vantage/rest-kit/person-check';
import type { Level } from '@vantage/rest-kit/session';
import { publish } from '@vantage/storage';
import { hashPassword } from '@vantage/storage/secrets/password';
import type { ChangeTransaction } from '../../resources/change.ts';
import { changedFields, createdFields, deletedFields, secretField } from '../../resources/field-changes.ts';
import { refuseBeyondLimit } from '../../resources/limited-kinds.ts';
import type { Conflict, Invalid, Missing, Refusal } from '../../resources/refusal.ts';
import { insertKeyOf } from '../keys/issue-key.ts';
import { namesOfTags, readScope, type SentScope } from '../keys/key-scope.ts';
import { setKeyRevoked, updateKey } from '../keys/key-store.ts';
import { deleteSessionsOf } from '../sessions/session-store.ts';
import { hasComeIn, invite, type UserInvitation } from './invite-user.ts';
import { setPassword } from './invited-store.ts';
import { emailTaken, refusePower } from './user-refusals.ts';
import { deleteUser, insertUser, isEmailTaken, readUser, type UserRow, updateEmail } from './user-store.ts';

/** Creates a person and the key that represents them, and invites them. The key is never issued. */
export async function createUser(
  transaction: ChangeTransaction,
  given: {
    readonly accountNo: number;
    readonly name: string;
    readonly email: string;
    readonly level: Level;
    readonly tags: SentScope;
  },
): Promise<({ readonly kind: 'created' } & UserInvitation) | Conflict | Invalid> {
  const { trx } = transaction;
  const { accountNo, name, level } = given;
  const email = emailKey(given.email);
  const read = await readScope(trx, accountNo, given.tags);
  if ('kind' in read) return read;
  const tagNos = read.scope ?? null;
  const refusal =
    (await refusePower(transaction, { level, tagNos })) ??
    (await refuseBeyondLimit(transaction, 'users', accountNo));
  if (refusal !== undefined) return refusal;
  if (await isEmailTaken(trx, { accountNo, email })) return emailTaken(email);
  const userId = newId();
  const keyId = newId();
  await insertKeyOf(transaction, { keyId, accountNo, name, level, tagNos });
  await insertUser(transaction, { userId, accountNo, keyId, email });
  const invitation = await invite(transaction, userId, null);
  const Tags = await namesOfTags(trx, tagNos);
  const fields = createdFields({ Name: name, Email: email, Level: level, ...(Tags && { Tags }) });
  transaction.record({ action: 'create', kind: 'user', accountNo, id: userId, fields });
  return { kind: 'created', ...invitation };
}

/** Changes a person; undefined leaves a field as it is. Every controller knows of it within 5 s. */
export async function changeUser(
  transaction: ChangeTransaction,
  { accountNo, userId }: { readonly accountNo: number; readonly userId: string },
  sent: {
    readonly name: string | undefined;
    readonly email: string | undefined;
    readonly level: Level | undefined;
    readonly tags: SentScope;
  },
): Promise<{ readonly kind: 'changed'; readonly keyNo: number } | Refusal> {
  const { trx } = transaction;
  const user = await readUser(trx, accountNo, userId);
  if (user === undefined) return { kind: 'missing', what: 'user' };
  const read = await readScope(trx, accountNo, sent.tags);
  if ('kind' in read) return read;
  const { keyNo, userNo } = user;
  const tagNos = read.scope === undefined ? user.tagNos : read.scope;
  const old = {
    Name: user.name,
    Email: user.email,
    Level: user.level,
    Tags: await namesOfTags(trx, user.tagNos),
  };
  const email = sent.email === undefined ? old.Email : emailKey(sent.email);
  const next = {
    Name: sent.name ?? old.Name,
    Email: email,
    Level: sent.level ?? old.Level,
    Tags: await namesOfTags(trx, tagNos),
  };
  const fields = (['Name', 'Email', 'Level', 'Tags'] as const).filter(
    (field) => JSON.stringify(old[field]) !== JSON.stringify(next[field]),
  );
  if (fields.length === 0) return { kind: 'changed', keyNo };
  const refusal = fields.some((field) => field !== 'Name')
    ? await refusePower(transaction, { level: next.Level, tagNos })
    : undefined;
  if (refusal !== undefined) return refusal;
  if (fields.includes('Email') && hasComeIn(user)) return needsInvitation;
  if (await isEmailTaken(trx, { accountNo, email, userNo })) return emailTaken(email);
  await updateKey(transaction, keyNo, {
    name: next.Name,
    level: next.Level,
    expiresUs: null,
    tagNos: tagNos && [...tagNos],
  });
  await updateEmail(transaction, userNo, email);
  await publish(trx, 'revoked', { agent_nos: [], key_nos: [keyNo] });
  const changes = changedFields(fields, old, next);
  transaction.record({ action: 'update', kind: 'user', accountNo, id: userId, fields: changes });
  return { kind: 'changed', keyNo };
}

/** Deletes a person, whose sessions end at every controller within 5 s. */
export async function removeUser(
  transaction: ChangeTransaction,
  { accountNo, userId, userNo, keyNo, name, email }: UserRow,
): Promise<{ readonly kind: 'deleted' } | Missing> {
  const { trx } = transaction;
  if (!(await deleteUser(transaction, userNo))) return { kind: 'missing', what: 'user' };
  await setKeyRevoked(transaction, keyNo);
  await publish(trx, 'revoked', { agent_nos: [], key_nos: [keyNo] });
  const fields = deletedFields({ Name: name, Email: email });
  transaction.record({ action: 'delete', kind: 'user', accountNo, id: userId, fields });
  return { kind: 'deleted' };
}

/** Gives a person another password. All sessions end but the one with the number `except`. */
export async function changePassword(
  transaction: ChangeTransaction,
  { accountNo, userId, userNo, keyNo, passwordHash: before }: UserRow,
  { passwordHash, except }: { readonly passwordHash: string; readonly except: number | undefined },
): Promise<void> {
  const { trx } = transaction;
  await setPassword(transaction, userNo, passwordHash);
  await deleteSessionsOf(trx, keyNo, except);
  await publish(trx, 'revoked', { agent_nos: [], key_nos: [keyNo] });
  const fields = [secretField('Password', before !== null)];
  transaction.record({ action: 'update', kind: 'user', accountNo, id: userId, fields });
}

/** The text that is stored for a password of a person. */
export function hashPersonPassword(password: string): Promise<string> {
  return hashPassword(passwordKey(password));
}

const needsInvitation: Conflict = {
  kind: 'conflict',
  reason: 'conflict',
  message:
    'The e-mail address of a person who has signed in changes when they accept a new invitation with it: POST /users/{user_id}/invite {"Email": "…"}.',
  faults: [{ field: 'Email', message: 'changes by a new invitation only' }],
};
