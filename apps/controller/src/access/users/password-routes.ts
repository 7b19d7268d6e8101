import { boundedText } from '@vantage/kernel';
import type { IdentifiedPerson, PersonSignIn } from '@vantage/rest-kit/person-check';
import { invalid, Problem, problemCode } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import type { Db } from '@vantage/storage';
import { z } from 'zod';
import type { Catalog } from '../../resources/change.ts';
import { actorOf } from '../../resources/change.ts';
import { maxPasswordLength, newPassword } from './user-fields.ts';
import { readUserOfKey, type UserRow } from './user-store.ts';
import { changePassword, hashPersonPassword } from './user-write.ts';

const passwordChange = z
  .strictObject({
    Password: boundedText(maxPasswordLength, 1)
      .describe('The present password.')
      .meta({ example: 'the present one' }),
    NewPassword: newPassword,
  })
  .meta({ id: 'PasswordChange' });

/** Dependencies of the route of a person's own password. */
interface PasswordRouteDeps {
  readonly catalog: Catalog;
  /** Finds out whether a password is right. Throws a Problem (1001, 1006). */
  readonly identifyPerson: (person: PersonSignIn, address: string) => Promise<IdentifiedPerson>;
  readonly onKeyChanged: (db: Db, keyNo: number) => void;
}

/** A person who is signed in changes the password. */
export function passwordRoutes(deps: PasswordRouteDeps): Route[] {
  const { catalog, onKeyChanged } = deps;
  const subject = {
    what: 'user' as const,
    find: async ({ keyNo, signIn }: Session, _: unknown, db: Db) => {
      const user = await readUserOfKey(db.kysely, keyNo);
      return user && signIn && { user, sessionNo: signIn.sessionNo };
    },
  };
  return [
    route({
      method: 'PUT',
      path: '/session/password',
      limitedCallers: 'permitted',
      level: 'UR',
      tag: 'Sessions',
      summary: 'Changes the password of the person who is signed in. All other sessions of the person end.',
      subject,
      body: passwordChange,
      response: z.strictObject({}),
      names: { root: 'session' },
      handler: async ({ db, session, subject: { user, sessionNo }, body }) => {
        await requirePassword(deps, { user, session, password: body.Password });
        const passwordHash = await hashPersonPassword(body.NewPassword);
        await catalog.change(db, actorOf(session), (transaction) =>
          changePassword(transaction, user, { passwordHash, except: sessionNo }),
        );
        onKeyChanged(db, user.keyNo);
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
