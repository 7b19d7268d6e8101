import { hourUs } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import { publish } from '../../platform/db/index.ts';
import { hashCredential, newCredential } from '../../platform/secrets/credential.ts';
import { hashPassword } from '../../platform/secrets/password.ts';
import { emailKey, passwordKey } from '../../rest/http/person-check.ts';
import type { Level } from '../../rest/http/session.ts';
import { deleteSessionsOf } from '../../rest/http/session-store.ts';
import {
  type ChangeTransaction,
  changedFields,
  createdFields,
  deletedFields,
  secretField,
} from '../change.ts';
import { namesOfTags, readScope, type SentScope } from '../keys/scope.ts';
import { markKeyRevoked, updateKey } from '../keys/store.ts';
import { insertKeyOf, refuseGrant } from '../keys/write.ts';
import type { Conflict, Invalid, Missing, Refusal } from '../refusal.ts';
import { refuseBeyondLimit } from '../refusal.ts';
import {
  deleteUser,
  insertUser,
  isEmailTaken,
  readInvited,
  readUser,
  setInvitation,
  setPassword,
  type UserRow,
  updateEmail,
} from './store.ts';

/** An invitation is good for so many hours. */
export const invitationHours = 72;
const lifeUs = invitationHours * hourUs;

/** The link of an invitation. */
export interface Invitation {
  readonly userId: string;
  /** 256 random bits; the database keeps their SHA-256. */
  readonly token: string;
  readonly endsUs: number;
}

/** Creates a person and the key that stands for them, which nobody holds, and invites them. */
export async function createUser(
  transaction: ChangeTransaction,
  given: {
    readonly accountNo: number;
    readonly name: string;
    readonly email: string;
    readonly level: Level;
    readonly tags: SentScope;
  },
): Promise<({ readonly kind: 'created' } & Invitation) | Conflict | Invalid> {
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
  const invitation = await invite(transaction, userId);
  const Tags = await namesOfTags(trx, tagNos);
  const fields = createdFields({ Name: name, Email: email, Level: level, ...(Tags && { Tags }) });
  transaction.record({ action: 'create', kind: 'user', accountNo, id: userId, fields });
  return { kind: 'created', ...invitation };
}

/** Invites a person again, for example one who forgot the password; the link before is over. */
export async function inviteUser(
  transaction: ChangeTransaction,
  { accountNo, userId }: { readonly accountNo: number; readonly userId: string },
): Promise<({ readonly kind: 'invited' } & Invitation) | Refusal> {
  const user = await readUser(transaction.trx, accountNo, userId);
  if (user === undefined) return { kind: 'missing', what: 'user' };
  const refusal = await refusePower(transaction, user);
  if (refusal !== undefined) return refusal;
  const invitation = await invite(transaction, userId);
  const fields = [secretField('Invitation', false)];
  transaction.record({ action: 'update', kind: 'user', accountNo, id: userId, fields });
  return { kind: 'invited', ...invitation };
}

async function invite(transaction: ChangeTransaction, userId: string): Promise<Invitation> {
  const token = newCredential();
  const endsUs = await setInvitation(transaction, userId, { tokenHash: hashCredential(token), lifeUs });
  return { userId, token, endsUs };
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
  const refusal =
    fields.includes('Level') || fields.includes('Tags')
      ? await refusePower(transaction, { level: next.Level, tagNos })
      : undefined;
  if (refusal !== undefined) return refusal;
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
  await markKeyRevoked(transaction, keyNo);
  await publish(trx, 'revoked', { agent_nos: [], key_nos: [keyNo] });
  const fields = deletedFields({ Name: name, Email: email });
  transaction.record({ action: 'delete', kind: 'user', accountNo, id: userId, fields });
  return { kind: 'deleted' };
}

/** Accepts an invitation with a password that the person chose: once, until it ends. undefined: it is over. */
export async function acceptInvitation(
  transaction: ChangeTransaction,
  { token, passwordHash }: { readonly token: string; readonly passwordHash: string },
): Promise<UserRow | undefined> {
  const user = await readInvited(transaction.trx, hashCredential(token), { lock: true });
  if (user !== undefined) await changePassword(transaction, user, { passwordHash, except: undefined });
  return user;
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

/**
 * The refusal of a level or of devices that the caller does not have; people have no end, so who has one raises and
 * invites nobody.
 */
async function refusePower(
  transaction: ChangeTransaction,
  { level, tagNos }: Pick<UserRow, 'level' | 'tagNos'>,
): Promise<Conflict | Invalid | undefined> {
  const refusal = await refuseGrant(transaction, { level, tagNos, expiresUs: null });
  if (refusal?.kind !== 'invalid') return refusal;
  const message = 'The key of this request expires, so it cannot invite people or change their level';
  const faults = refusal.faults.map((fault) => (fault.field === 'Expires' ? { field: '', message } : fault));
  return { kind: 'invalid', faults };
}

function emailTaken(email: string): Conflict {
  return {
    kind: 'conflict',
    message: `There is a person with the e-mail address ${email} already.`,
    faults: [{ field: 'Email', message: 'is taken' }],
  };
}
