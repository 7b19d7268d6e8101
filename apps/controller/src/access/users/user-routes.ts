import { isId } from '@vantage/kernel';
import { idField } from '@vantage/rest-kit/field';
import { nextPage, wholeOrPageQuery } from '@vantage/rest-kit/paging';
import { missing } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import type { Db } from '@vantage/storage';
import { z } from 'zod';
import type { Catalog, ChangeTransaction } from '../../resources/change.ts';
import { actorOf } from '../../resources/change.ts';
import { accepted } from '../../resources/refusal.ts';
import { invitationPath } from './invitation-page-routes.ts';
import { invitationHours, inviteUser, type UserInvitation } from './invite-user.ts';
import { linkMail, type MailPerson } from './mail-texts.ts';
import {
  invitation,
  showUser,
  userCreate,
  userFull,
  userInvite,
  userReadOnly,
  userUpdate,
} from './user-fields.ts';
import { listUsers, readUser } from './user-store.ts';
import { changeUser, createUser, removeUser } from './user-write.ts';

const tag = 'Users';
const names = { root: 'user', id: 'user_id' } as const;
const readOnly = userReadOnly;

/** The parts that the routes of people need. */
export interface UserRouteDeps {
  readonly catalog: Catalog;
  /** The address at which people reach this installation, without a slash at the end. */
  readonly baseUrl: () => string;
  /** Called after the key that represents a person changed, so that this controller knows of it at once. */
  readonly onKeyChanged: (db: Db, keyNo: number) => void;
  /** Tells people of changes of their sign-in; undefined: there is no mail server now. */
  readonly mailPerson: () => MailPerson | undefined;
}

/** People of the account, for its admins. */
export function userRoutes(deps: UserRouteDeps): Route[] {
  return [...collectionRoutes(deps), ...oneUserRoutes(deps)];
}

function collectionRoutes({ catalog, baseUrl, mailPerson }: UserRouteDeps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/users',
      limitedCallers: 'permitted',
      level: 'UA',
      tag,
      summary: 'Invites a person; the answer has the link of the invitation, once.',
      description:
        'If there is a mail server, the person gets the link by e-mail (Mailed). Else give it to the person yourself.',
      subject: noSubject,
      body: userCreate,
      readOnly,
      response: invitation,
      names,
      handler: async ({ db, session, body }) => {
        const newUser = {
          accountNo: session.accountNo,
          name: body.Name,
          email: body.Email,
          level: body.Level,
          tags: body.Tags,
        };
        const mail = mailPerson();
        const made = await catalog.change(db, actorOf(session), async (transaction) => {
          const created = await createUser(transaction, newUser);
          if (created.kind === 'created') await mailLink(transaction, mail, created, session, baseUrl());
          return created;
        });
        return { body: showInvitation(accepted(made), session, baseUrl(), mail !== undefined) };
      },
    }),
    route({
      method: 'GET',
      path: '/users',
      level: 'UA',
      tag,
      summary: 'Lists the people of the account by name.',
      subject: noSubject,
      query: z.object(wholeOrPageQuery),
      response: z.array(userFull),
      names: { root: 'users', row: 'user', id: 'user_id' },
      handler: async ({ db, session: { accountNo, zone }, query: { Limit, Offset } }) => {
        const { rows, total } = await listUsers(db.kysely, accountNo, { limit: Limit, offset: Offset });
        const body = rows.map((row) => showUser(row, zone));
        return { body, total, next: nextPage(total, { Limit, Offset }) };
      },
    }),
  ];
}

function oneUserRoutes({ catalog, baseUrl, onKeyChanged, mailPerson }: UserRouteDeps): Route[] {
  const subject = {
    what: 'user' as const,
    find: async ({ accountNo }: Session, { user_id = '' }: Readonly<Record<string, string>>, db: Db) =>
      isId(user_id) ? readUser(db.kysely, accountNo, user_id) : undefined,
  };
  const shared = { path: '/users/{user_id}', tag, subject, names, level: 'UA' } as const;
  return [
    route({
      ...shared,
      method: 'GET',
      summary: 'A person of the account.',
      response: userFull,
      handler: async ({ session: { zone }, subject: row }) => ({ body: showUser(row, zone) }),
    }),
    route({
      ...shared,
      method: 'PUT',
      limitedCallers: 'permitted',
      summary: 'Changes a person: the name, the e-mail address, the level, the tags.',
      description:
        'Sessions change with it. Every controller knows of it within 5 seconds. The e-mail address of a person who has signed in changes by a new invitation only.',
      body: userUpdate,
      readOnly,
      response: userFull,
      handler: async ({ db, session, subject: user, body }) => {
        const sent = { name: body.Name, email: body.Email, level: body.Level, tags: body.Tags };
        const changed = await catalog.change(db, actorOf(session), (transaction) =>
          changeUser(transaction, user, sent),
        );
        onKeyChanged(db, accepted(changed).keyNo);
        const row = await readUser(db.kysely, session.accountNo, user.userId);
        if (row === undefined) throw missing('user');
        return { body: showUser(row, session.zone) };
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      limitedCallers: 'permitted',
      summary: 'Deletes a person, whose sessions end.',
      response: z.strictObject({ user_id: idField }),
      handler: async ({ db, session, subject: user }) => {
        accepted(await catalog.change(db, actorOf(session), (transaction) => removeUser(transaction, user)));
        onKeyChanged(db, user.keyNo);
        return { body: { user_id: user.userId } };
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/users/{user_id}/invite',
      limitedCallers: 'permitted',
      summary:
        'Invites a person again, for example one who forgot the password or has another e-mail address.',
      description:
        'The earlier link ends. The password and the e-mail address of the person stay until the new invitation is accepted; then all sessions of the person end. A person who has signed in before gets a mail at the present address, if there is a mail server.',
      body: userInvite,
      response: invitation,
      handler: async ({ db, session, subject: { accountNo, userId }, body }) => {
        const reinvited = { accountNo, userId, email: body.Email, mailPerson: mailPerson() };
        const mail = mailPerson();
        const made = await catalog.change(db, actorOf(session), async (transaction) => {
          const invited = await inviteUser(transaction, reinvited);
          if (invited.kind === 'invited') await mailLink(transaction, mail, invited, session, baseUrl());
          return invited;
        });
        return { body: showInvitation(accepted(made), session, baseUrl(), mail !== undefined) };
      },
    }),
  ];
}

function showInvitation(
  { userId, token, endsUs }: UserInvitation,
  { zone }: Session,
  baseUrl: string,
  Mailed: boolean,
): z.input<typeof invitation> {
  return { user_id: userId, Link: linkOf(token, baseUrl), Expires: zone.format(endsUs), Mailed };
}

const linkOf = (token: string, baseUrl: string) => `${baseUrl}${invitationPath}${token}`;

/** Mails the link to the address that the person signs in with afterwards. */
async function mailLink(
  { trx }: ChangeTransaction,
  mailPerson: MailPerson | undefined,
  { userId, token }: UserInvitation,
  { accountNo }: Session,
  baseUrl: string,
): Promise<void> {
  const user = mailPerson && (await readUser(trx, accountNo, userId));
  if (user === undefined) return;
  const email = user.invitationEmail ?? user.email;
  await mailPerson?.(
    trx,
    linkMail({ ...user, email }, { link: linkOf(token, baseUrl), hours: invitationHours }),
  );
}
