import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import type { IdentifiedPerson, PersonSignIn } from '../../rest/http/person-check.ts';
import { invalid, Problem, problemCode } from '../../rest/http/problem.ts';
import { type Route, route } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import type { Catalog } from '../change.ts';
import { actorOf } from '../change.ts';
import { mostPassword, newPassword } from './fields.ts';
import { readUserOfKey, type UserRow } from './store.ts';
import { changePassword, hashPersonPassword } from './write.ts';

const passwordChange = z
  .strictObject({
    Password: boundedText(mostPassword, 1)
      .describe('The present password.')
      .meta({ example: 'the present one' }),
    NewPassword: newPassword,
  })
  .meta({ id: 'PasswordChange' });

/** Dependencies of the route of a person's own password. */
interface PasswordRouteDeps {
  readonly db: Db;
  readonly catalog: Catalog;
  /** Finds out whether a password is right. Throws a Problem (1001, 1006). */
  readonly identifyPerson: (person: PersonSignIn, address: string) => Promise<IdentifiedPerson>;
  readonly onKeyChanged: (keyNo: number) => void;
}

/** A person who is signed in changes the password. */
export function passwordRoutes(deps: PasswordRouteDeps): Route[] {
  const { db, catalog, onKeyChanged } = deps;
  const subject = {
    what: 'user' as const,
    find: async ({ keyNo, signIn }: Session) => {
      const user = await readUserOfKey(db.kysely, keyNo);
      return user && signIn && { user, sessionNo: signIn.sessionNo };
    },
  };
  return [
    route({
      method: 'PUT',
      path: '/session/password',
      level: 'UR',
      tag: 'Sessions',
      summary: 'Changes the password of the person who is signed in. All other sessions of the person end.',
      subject,
      body: passwordChange,
      response: z.strictObject({}),
      names: { root: 'session' },
      handler: async ({ session, subject: { user, sessionNo }, body }) => {
        await requirePassword(deps, { user, session, password: body.Password });
        const passwordHash = await hashPersonPassword(body.NewPassword);
        await catalog.change(actorOf(session), (transaction) =>
          changePassword(transaction, user, { passwordHash, except: sessionNo }),
        );
        onKeyChanged(user.keyNo);
        return { body: {} };
      },
    }),
  ];
}

/**
 * Throws a Problem where this is not the person's password: 1004, so that a page does not take the session for ended.
 */
async function requirePassword(
  { identifyPerson }: PasswordRouteDeps,
  {
    user: { email, account, keyNo },
    session: { address },
    password,
  }: { readonly user: UserRow; readonly session: Session; readonly password: string },
): Promise<void> {
  const wrong = invalid([{ field: 'Password', message: 'is wrong' }]);
  const found = await identifyPerson({ email, account, password }, address).catch((problem: unknown) => {
    throw problem instanceof Problem && problem.code === problemCode.key ? wrong : problem;
  });
  if (found.session.keyNo !== keyNo) throw wrong;
}
