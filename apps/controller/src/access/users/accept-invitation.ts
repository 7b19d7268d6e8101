import { hashCredential } from '@vantage/storage/secrets/credential';
import type { ChangeTransaction } from '../../resources/change.ts';
import { changedFields } from '../../resources/field-changes.ts';
import { hasComeIn } from './invite-user.ts';
import { readInvited } from './invited-store.ts';
import { acceptedMail, type MailPerson } from './mail-texts.ts';
import { isEmailTaken, type UserRow, updateEmail } from './user-store.ts';
import { changePassword } from './user-write.ts';

/** Accepts an invitation with a password that the person chose, once, until it ends; undefined: it has ended. */
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
