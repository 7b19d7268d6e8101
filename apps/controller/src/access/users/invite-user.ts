import { hourUs } from '@vantage/domain';
import { emailKey } from '@vantage/rest-kit/person-check';
import { hashCredential, newCredential } from '@vantage/storage/secrets/credential';
import type { ChangeTransaction } from '../../resources/change.ts';
import { changedFields, secretField } from '../../resources/field-changes.ts';
import type { Refusal } from '../../resources/refusal.ts';
import { setInvitation } from './invited-store.ts';
import { invitedMail, type MailPerson } from './mail-texts.ts';
import { emailTaken, refusePower } from './user-refusals.ts';
import { isEmailTaken, readUser, type UserRow } from './user-store.ts';

/** An invitation is valid for this many hours. */
export const invitationHours = 72;

/** The link of an invitation. */
export interface UserInvitation {
  readonly userId: string;
  /** 256 random bits; the database keeps their SHA-256. */
  readonly token: string;
  readonly endsUs: number;
}

/**
 * Invites a person again, for example one who forgot the password or has another e-mail address; the earlier link ends.
 * Password, address and sessions stay until the person accepts. A person who has signed in before gets a mail, one for
 * each open invitation.
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
): Promise<({ readonly kind: 'invited' } & UserInvitation) | Refusal> {
  const { trx } = transaction;
  const user = await readUser(trx, accountNo, userId);
  if (user === undefined) return { kind: 'missing', what: 'user' };
  const refusal = await refusePower(transaction, user);
  if (refusal !== undefined) return refusal;
  const address = sent === undefined ? user.email : emailKey(sent);
  const email = address === user.email ? null : address;
  if (email !== null && (await isEmailTaken(trx, { accountNo, email }))) return emailTaken(email);
  const invitation = await invite(transaction, userId, email);
  if (hasComeIn(user) && (!user.isInvitationOpen || user.invitationEmail !== email))
    await mailPerson?.(trx, invitedMail(user, email));
  const changes = email === null ? [] : changedFields(['Email'], { Email: user.email }, { Email: email });
  const fields = [secretField('Invitation', false), ...changes];
  transaction.record({ action: 'update', kind: 'user', accountNo, id: userId, fields });
  return { kind: 'invited', ...invitation };
}

/** Gives a person a new link, which ends the earlier one. */
export async function invite(
  transaction: ChangeTransaction,
  userId: string,
  email: string | null,
  lifeUs = invitationHours * hourUs,
): Promise<UserInvitation> {
  const token = newCredential();
  const tokenHash = hashCredential(token);
  const endsUs = await setInvitation(transaction, userId, { tokenHash, lifeUs, email });
  return { userId, token, endsUs };
}

/** Whether a person may have signed in. Changing the address of such a person would hand their sign-in to another. */
export function hasComeIn({ passwordHash, isProven, isInvited }: UserRow): boolean {
  return passwordHash !== null || isProven || !isInvited;
}
