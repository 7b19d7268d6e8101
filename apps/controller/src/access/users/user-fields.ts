import { emailFault } from '@vantage/alerts';
import { boundedText } from '@vantage/kernel';
import {
  idField,
  lineField,
  shownTimes,
  showTimes,
  timeNames,
  timestampField,
} from '@vantage/rest-kit/field';
import { levels } from '@vantage/rest-kit/session';
import type { Zone } from '@vantage/rest-kit/zone';
import { z } from 'zod';
import { scopeField, shownScope } from '../keys/key-scope.ts';
import { invitationHours } from './invite-user.ts';
import type { UserRow } from './user-store.ts';

/** The minimum length of a person's password, characters. */
export const minPasswordLength = 12;
/** The maximum length of a person's password, characters. */
export const maxPasswordLength = 200;

const name = lineField(200, 1).describe('Name of the person; the audit names them by it.');
const email = boundedText(254)
  .refine((text) => emailFault(text.trim()) === null, {
    error: ({ input }) => emailFault(String(input)) ?? '',
  })
  .describe(
    'The e-mail address with which the person signs in, unique in the account; its letter case does not count.',
  );
const level = z.enum(levels).describe('What the person may do; see the levels of keys.');

/** A password that a person chooses. */
export const newPassword = boundedText(maxPasswordLength, minPasswordLength)
  .describe(`The new password, at least ${minPasswordLength} characters.`)
  .meta({ example: 'correct horse battery staple' });

/** The body that creates a person. */
export const userCreate = z
  .strictObject({ Name: name, Email: email, Level: level, Tags: scopeField.optional() })
  .meta({ id: 'UserCreate' });

/** The body that changes a person. */
export const userUpdate = z
  .strictObject({
    Name: name.optional(),
    Email: email.optional(),
    Level: level.optional(),
    Tags: scopeField.optional(),
  })
  .meta({ id: 'UserUpdate' });

/** The body that invites a person again. */
export const userInvite = z
  .strictObject({
    Email: email
      .optional()
      .describe(
        'The address with which the person signs in after the invitation is accepted; absent: the same.',
      ),
  })
  .meta({ id: 'UserInvite' });

/** A person as the API shows them. */
export const userFull = z
  .strictObject({
    user_id: idField,
    Name: z.string().describe('Name of the person.'),
    Email: z.string().describe('The e-mail address with which the person signs in.'),
    Level: level,
    Tags: shownScope,
    SignIn: z
      .enum(['Invited', 'Password', 'Provider'])
      .describe(
        'How the person signs in; Invited: no invitation was accepted yet; Provider: by single sign-on only.',
      ),
    LastSeen: timestampField
      .nullable()
      .describe('The last use of a session, noted at most once a minute; null: none.'),
    ...shownTimes,
  })
  .meta({ id: 'User' });

/** The read-only fields. */
export const userReadOnly = ['user_id', 'SignIn', 'LastSeen', ...timeNames] as const;

/** An invitation, which is shown once. */
export const invitation = z
  .strictObject({
    user_id: idField,
    Link: z
      .string()
      .describe(
        `The page on which the person chooses a password, once, within ${invitationHours} hours. It is shown here only; send it to this person only.`,
      )
      .meta({ example: 'https://monitor.example.com/invitation/3f1c9a7e52d04b86…' }),
    Expires: timestampField.describe('When the invitation ends.'),
    Mailed: z
      .boolean()
      .describe(
        'The link is on its way to the person by e-mail; false: there is no mail server, so give it to them.',
      ),
  })
  .meta({ id: 'UserInvitation' });

function signInOf({ passwordHash, isInvited }: UserRow): z.input<typeof userFull>['SignIn'] {
  if (passwordHash !== null) return 'Password';
  return isInvited ? 'Invited' : 'Provider';
}

/** Shows a person. */
export function showUser(row: UserRow, zone: Zone): z.input<typeof userFull> {
  return {
    user_id: row.userId,
    Name: row.name,
    Email: row.email,
    Level: row.level,
    Tags: row.tags && [...row.tags],
    SignIn: signInOf(row),
    LastSeen: row.usedUs === null ? null : zone.format(row.usedUs),
    ...showTimes({ created_at: row.createdAt, updated_at: row.updatedAt }, zone),
  };
}
