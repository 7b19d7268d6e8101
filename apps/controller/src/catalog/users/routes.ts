import { isId } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { idField } from '../../rest/http/field.ts';
import { nextPage, wholeOrPageQuery } from '../../rest/http/paging.ts';
import { missing } from '../../rest/http/problem.ts';
import { noSubject, type Route, route } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import type { Catalog } from '../change.ts';
import { actorOf } from '../change.ts';
import { accepted } from '../refusal.ts';
import {
  invitation,
  showUser,
  userCreate,
  userFull,
  userInvite,
  userReadOnly,
  userUpdate,
} from './fields.ts';
import { invitationPath } from './invitation-page-routes.ts';
import type { MailPerson } from './mail-texts.ts';
import { listUsers, readUser } from './store.ts';
import { changeUser, createUser, type Invitation, inviteUser, removeUser } from './write.ts';

const tag = 'Users';
const names = { root: 'user', id: 'user_id' } as const;
const readOnly = userReadOnly;

/** The parts that the routes of people need. */
export interface UserRouteDeps {
  readonly db: Db;
  readonly catalog: Catalog;
  /** Where people reach this installation, without a slash at the end. */
  readonly baseUrl: () => string;
  /** Called after the key that stands for a person changed, so that this controller knows of it at once. */
  readonly onKeyChanged: (keyNo: number) => void;
  /** Tells people of changes of their sign-in; undefined: there is no mail server. */
  readonly mailPerson?: MailPerson | undefined;
}

/** People of the account, for its admins. */
export function userRoutes(deps: UserRouteDeps): Route[] {
  return [...collectionRoutes(deps), ...oneUserRoutes(deps)];
}

function collectionRoutes({ db, catalog, baseUrl }: UserRouteDeps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/users',
      level: 'UA',
      tag,
      summary: 'Invites a person; the answer has the link of the invitation, once.',
      description: 'The controller sends no message: give the link to the person yourself.',
      subject: noSubject,
      body: userCreate,
      readOnly,
      response: invitation,
      names,
      handler: async ({ session, body }) => {
        const given = {
          accountNo: session.accountNo,
          name: body.Name,
          email: body.Email,
          level: body.Level,
          tags: body.Tags,
        };
        const made = await catalog.change(actorOf(session), (transaction) => createUser(transaction, given));
        return { body: showInvitation(accepted(made), session, baseUrl()) };
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
      handler: async ({ session: { accountNo, zone }, query: { Limit, Offset } }) => {
        const { rows, total } = await listUsers(db.kysely, accountNo, { limit: Limit, offset: Offset });
        const body = rows.map((row) => showUser(row, zone));
        return { body, total, next: nextPage(total, { Limit, Offset }) };
      },
    }),
  ];
}

function oneUserRoutes({ db, catalog, baseUrl, onKeyChanged, mailPerson }: UserRouteDeps): Route[] {
  const subject = {
    what: 'user' as const,
    find: async ({ accountNo }: Session, { user_id = '' }: Readonly<Record<string, string>>) =>
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
      summary: 'Changes a person: the name, the e-mail address, the level, the tags.',
      description:
        'Sessions change with it. Every controller knows of it within 5 seconds. The e-mail address of somebody who has signed in changes by a new invitation only.',
      body: userUpdate,
      readOnly,
      response: userFull,
      handler: async ({ session, subject: user, body }) => {
        const sent = { name: body.Name, email: body.Email, level: body.Level, tags: body.Tags };
        const changed = await catalog.change(actorOf(session), (transaction) =>
          changeUser(transaction, user, sent),
        );
        onKeyChanged(accepted(changed).keyNo);
        const row = await readUser(db.kysely, session.accountNo, user.userId);
        if (row === undefined) throw missing('user');
        return { body: showUser(row, session.zone) };
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      summary: 'Deletes a person, whose sessions end.',
      response: z.strictObject({ user_id: idField }),
      handler: async ({ session, subject: user }) => {
        accepted(await catalog.change(actorOf(session), (transaction) => removeUser(transaction, user)));
        onKeyChanged(user.keyNo);
        return { body: { user_id: user.userId } };
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/users/{user_id}/invite',
      summary:
        'Invites a person again, for example one who forgot the password or has another e-mail address.',
      description:
        'The link before is over. The password and the e-mail address of the person stay until the new invitation is accepted; then all sessions of the person end. A person who has signed in before is told at the present address, by mail, where there is a mail server.',
      body: userInvite,
      response: invitation,
      handler: async ({ session, subject: { accountNo, userId }, body }) => {
        const asked = { accountNo, userId, email: body.Email, mailPerson };
        const made = await catalog.change(actorOf(session), (transaction) => inviteUser(transaction, asked));
        return { body: showInvitation(accepted(made), session, baseUrl()) };
      },
    }),
  ];
}

function showInvitation(
  { userId, token, endsUs }: Invitation,
  { zone }: Session,
  baseUrl: string,
): z.input<typeof invitation> {
  return { user_id: userId, Link: `${baseUrl}${invitationPath}${token}`, Expires: zone.format(endsUs) };
}
