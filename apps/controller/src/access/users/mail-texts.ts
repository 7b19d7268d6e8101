import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import type { UserRow } from './user-store.ts';

interface Mail {
  readonly accountNo: number;
  readonly address: string;
  readonly subject: string;
  readonly body: string;
  /** Replaces a waiting mail with this subject, whose link has ended. */
  readonly replaces?: true;
}

/** Stores a mail to a person in the transaction of a change. */
export type MailPerson = (trx: Kysely<Tables>, mail: Mail) => Promise<void>;

/** The mail with the link of an invitation. Pure. */
export function linkMail(
  { accountNo, email, name, account }: Pick<UserRow, 'accountNo' | 'email' | 'name' | 'account'>,
  { link, hours }: { readonly link: string; readonly hours: number },
): Mail {
  return {
    accountNo,
    address: email,
    subject: `Invitation to ${account}`,
    replaces: true,
    body: [
      `You (${name}) are invited to the account ${account} of Vantage. Open this link to choose a password, within ${hours} hours. It works once.`,
      link,
      'If you did not expect this, ignore it.',
    ].join('\n\n'),
  };
}

/** The mail with the link for a person who forgot the password. Pure. */
export function forgottenMail(
  { accountNo, email, name, account }: UserRow,
  { link, hours, address }: { readonly link: string; readonly hours: number; readonly address: string },
): Mail {
  return {
    accountNo,
    address: email,
    subject: `Another password for ${account}`,
    replaces: true,
    body: [
      `A link to choose another password for you (${name}) in the account ${account} of Vantage was requested from ${address}. It works once, within ${hours} hour. Then all of your sessions end.`,
      link,
      'If it was not you, ignore it: your password stays as it is.',
    ].join('\n\n'),
  };
}

/** The mail to a person who has signed in before and whom an admin invited again. Pure. */
export function invitedMail({ accountNo, email, name, account }: UserRow, nextEmail: string | null): Mail {
  return {
    accountNo,
    address: email,
    subject: 'You were invited again',
    body: [
      `An admin of the account ${account} invited you (${name}) again. The person who opens the link of the invitation chooses a new password${nextEmail === null ? '' : `, and your e-mail address becomes ${nextEmail}`}; then all of your sessions end.`,
      'Until then your sign-in stays as it is. If you did not expect this, tell another admin of the account.',
    ].join('\n\n'),
  };
}

/** The mail to the address of before, after an invitation was accepted. Pure. */
export function acceptedMail({ accountNo, email, name, account }: UserRow, nextEmail: string | null): Mail {
  const what = nextEmail === null ? 'The password' : 'The e-mail address and the password';
  return {
    accountNo,
    address: email,
    subject: 'Your sign-in was changed',
    body: [
      `${what} of ${name} in the account ${account} ${nextEmail === null ? 'was' : 'were'} changed by an invitation that was accepted${nextEmail === null ? '' : `: the address is ${nextEmail} now`}. All sessions from before have ended.`,
      'If it was not you, tell an admin of the account.',
    ].join('\n\n'),
  };
}
