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
import { acceptedMail, invitedMail, type MailPerson } from './mail-texts.ts';
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
  const invitation = await invite(transaction, userId, null);
  const Tags = await namesOfTags(trx, tagNos);
  const fields = createdFields({ Name: name, Email: email, Level: level, ...(Tags && { Tags }) });
  transaction.record({ action: 'create', kind: 'user', accountNo, id: userId, fields });
  return { kind: 'created', ...invitation };
}

/**
 * Invites a person again, for example one who forgot the password or has another e-mail address; the link before is
 * over. Password, address and sessions stay until the person accepts. A person who has signed in before is told by
 * mail, once for an open invitation.
 */
export async function inviteUser(
  transaction: ChangeTransaction,
  {
    accountNo,
    userId,
    email: sent,
    mailPerson,
  }: {
    readonly accountNo: number;
    readonly userId: string;
    /** undefined: the address stays. */
    readonly email: string | undefined;
    readonly mailPerson: MailPerson | undefined;
  },
): Promise<({ readonly kind: 'invited' } & Invitation) | Refusal> {
  const { trx } = transaction;
  const user = await readUser(trx, accountNo, userId);
  if (user === undefined) return { kind: 'missing', what: 'user' };
  const refusal = await refusePower(transaction, user);
  if (refusal !== undefined) return refusal;
  const wanted = sent === undefined ? user.email : emailKey(sent);
  const email = wanted === user.email ? null : wanted;
  if (email !== null && (await isEmailTaken(trx, { accountNo, email }))) return emailTaken(email);
  const invitation = await invite(transaction, userId, email);
  if (hasComeIn(user) && (!user.isInvitationOpen || user.invitationEmail !== email))
    await mailPerson?.(trx, invitedMail(user, email));
  const address = email === null ? [] : changedFields(['Email'], { Email: user.email }, { Email: email });
  const fields = [secretField('Invitation', false), ...address];
  transaction.record({ action: 'update', kind: 'user', accountNo, id: userId, fields });
  return { kind: 'invited', ...invitation };
}

async function invite(
  transaction: ChangeTransaction,
  userId: string,
  email: string | null,
): Promise<Invitation> {
  const token = newCredential();
  const tokenHash = hashCredential(token);
  const endsUs = await setInvitation(transaction, userId, { tokenHash, lifeUs, email });
  return { userId, token, endsUs };
}

/** Whether a person may have signed in: to change the address for them would hand their sign-in to somebody else. */
function hasComeIn({ passwordHash, isProven, isInvited }: UserRow): boolean {
  return passwordHash !== null || isProven || !isInvited;
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
  await markKeyRevoked(transaction, keyNo);
  await publish(trx, 'revoked', { agent_nos: [], key_nos: [keyNo] });
  const fields = deletedFields({ Name: name, Email: email });
  transaction.record({ action: 'delete', kind: 'user', accountNo, id: userId, fields });
  return { kind: 'deleted' };
}

/** Accepts an invitation with a password that the person chose: once, until it ends. undefined: it is over. */
export async function acceptInvitation(
  transaction: ChangeTransaction,
  {
    token,
    passwordHash,
    mailPerson,
  }: {
    readonly token: string;
    readonly passwordHash: string;
    readonly mailPerson: MailPerson | undefined;
  },
): Promise<UserRow | undefined> {
  const { trx } = transaction;
  const user = await readInvited(trx, hashCredential(token), { lock: true });
  if (user === undefined) return undefined;
  const { accountNo, userId, userNo, invitationEmail: email } = user;
  if (email !== null) {
    if (await isEmailTaken(trx, { accountNo, email, userNo })) return undefined;
    await updateEmail(transaction, userNo, email);
    const fields = changedFields(['Email'], { Email: user.email }, { Email: email });
    transaction.record({ action: 'update', kind: 'user', accountNo, id: userId, fields });
  }
  await changePassword(transaction, user, { passwordHash, except: undefined });
  if (hasComeIn(user)) await mailPerson?.(trx, acceptedMail(user, email));
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
  const message =
    'The key of this request expires, so it cannot invite people or change their level, tags or e-mail address';
  const faults = refusal.faults.map((fault) => (fault.field === 'Expires' ? { field: '', message } : fault));
  return { kind: 'invalid', faults };
}

const needsInvitation: Conflict = {
  kind: 'conflict',
  reason: 'conflict',
  message:
    'The e-mail address of somebody who has signed in changes when they accept a new invitation with it: POST /users/{user_id}/invite {"Email": "…"}.',
  faults: [{ field: 'Email', message: 'changes by a new invitation only' }],
};

function emailTaken(email: string): Conflict {
  return {
    kind: 'conflict',
    reason: 'email_taken',
    message: `There is a person with the e-mail address ${email} already.`,
    faults: [{ field: 'Email', message: 'is taken' }],
  };
}
