import { boundedText } from '@vantage/kernel';
import { csrfTokenOf } from '@vantage/rest-kit/csrf-token';
import { readFields, readQuery, timestampField } from '@vantage/rest-kit/field';
import type { BasicCredentials } from '@vantage/rest-kit/password-check';
import type { IdentifiedPerson, PersonSignIn } from '@vantage/rest-kit/person-check';
import { invalid, missing, Problem } from '@vantage/rest-kit/problem';
import type { Reply, Route, RouteRequest } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import { levels, type Session, type SignIn } from '@vantage/rest-kit/session';
import { endedCookie, sessionCookie } from '@vantage/rest-kit/session-cookie';
import { type Db, publish, type Reader } from '@vantage/storage';
import { hashCredential, newCredential } from '@vantage/storage/secrets/credential';
import { z } from 'zod';
import { actorOf, type Catalog } from '../../resources/change.ts';
import { deletedFields } from '../../resources/field-changes.ts';
import { namesOfTags } from '../keys/key-scope.ts';
import { beginSession, type Identified } from '../sign-in/begin-session.ts';
import { isRefused, type RefusedAttempt, type RefusedCaller } from '../sign-in/refusal-entry.ts';
import { readUserOfKey } from '../users/user-store.ts';
import { deleteSession, sessionLife } from './session-store.ts';

export { createSignInRefusals } from '../sign-in/refusal-entry.ts';

const tag = 'Sessions';
const names = { root: 'session' } as const;

const sessionFull = z
  .strictObject({
    Name: z
      .string()
      .describe('The name of the key or person; empty: the key has none.')
      .meta({ example: 'control room' }),
    Level: z.enum(levels).describe('The rights of the key or person.'),
    Tags: z
      .array(z.string())
      .nullable()
      .describe('The names of the tags to which the key or person is limited; null: no limit.')
      .meta({ example: ['berlin/rack-3'] }),
    Expires: timestampField.describe(
      `When the session ends if it is not used again. Each use puts it off: it ends ${sessionLife.unusedHours} hours after the last one, and at the latest ${sessionLife.days} days after it began.`,
    ),
    HasPassword: z
      .boolean()
      .describe('Whether it is the session of a person with a password, which PUT /session/password changes.')
      .meta({ example: false }),
    CsrfToken: z
      .string()
      .describe(
        'Every request of the session that changes something must carry it in the header X-CSRF-Token.',
      )
      .meta({ example: '5f0d7a9c3b1e48266d94c0a7e2f81b35907c4de6a1283f5b6e09d7c4f2a8b160' }),
  })
  .meta({ id: 'Session', description: 'A sign-in by a browser.' });

const signIn = z
  .strictObject({
    Key: boundedText(200, 1)
      .optional()
      .describe('The key. Of Key and Email, one is needed.')
      .meta({ example: '3f1c9a7e52d04b86' }),
    Name: boundedText(200).optional().describe('The user name, where one was set for the key.'),
    Email: boundedText(254, 1)
      .optional()
      .describe('The e-mail address of a person who has a password, instead of a key.')
      .meta({ example: 'ada@example.org' }),
    Account: boundedText(200, 1)
      .optional()
      .describe(
        'The name of the account, if the address is known in several. Without it, the password decides; for a person whom a proxy signed in, the only account to which it signed them in before. If several remain, the answer is 1005 with their names in Accounts.',
      )
      .meta({ example: 'default' }),
    Password: boundedText(200)
      .optional()
      .describe('The password of the person; with Key, where one was set for the key.'),
  })
  .meta({ id: 'SignIn' });

/** The parts that the routes of sessions need. */
export interface SessionRouteDeps {
  readonly catalog: Catalog;
  /** Finds out whose a key is. Throws a Problem (1001, 1006). */
  readonly identify: (key: string, basic: BasicCredentials, address: string) => Promise<Session>;
  /** Finds out who a person is. Throws a Problem (1001, 1006). */
  readonly identifyPerson: (person: PersonSignIn, address: string) => Promise<IdentifiedPerson>;
  /** Finds out who a person is whom a trusted proxy signed in. Throws a Problem (1001, 1006). */
  readonly identifyProxied: (person: Omit<PersonSignIn, 'password'>, address: string) => Promise<Session>;
  /** Called for a refused sign-in, which goes into the audit. */
  readonly onRefused: (refused: RefusedAttempt) => void;
  /** The address at which browsers sign out of the provider (OpenID Connect); null: there is none. */
  readonly signOutAddress: () => Promise<string | null>;
  /** Called after a session ended, so that it is refused at once. */
  readonly onEnded: (db: Db, sessionNo: number) => void;
}

/** Signing in with a key or password, and signing out. */
export function sessionRoutes(deps: SessionRouteDeps): Route[] {
  return [
    signInRoute(deps),
    route({
      method: 'GET',
      path: '/session',
      level: 'UR',
      tag,
      summary: 'The session whose cookie the request carries.',
      subject: ownSession,
      response: sessionFull,
      names,
      handler: async ({ db, session, subject }) => ({ body: await show(db, session, subject) }),
    }),
    route({
      method: 'DELETE',
      path: '/session',
      limitedCallers: 'permitted',
      level: 'UR',
      tag,
      summary: 'Signs out: the session and its cookie end.',
      subject: ownSession,
      setsCookie: true,
      response: z.strictObject({
        SignOut: z
          .string()
          .nullable()
          .describe(
            'Where the browser signs out of the provider that signed the person in (single sign-on), too; null: nowhere.',
          )
          .meta({ example: 'https://login.example.org/session/end?client_id=vantage' }),
      }),
      names,
      handler: async ({ db, session, subject }) => {
        await end(db, deps, session, subject.sessionNo);
        const SignOut = subject.isByProvider ? await deps.signOutAddress() : null;
        return { body: { SignOut }, cookie: endedCookie };
      },
    }),
  ];
}

const ownSession = { ...noSubject, what: 'session' as const, find: async ({ signIn: own }: Session) => own };

function signInRoute(deps: SessionRouteDeps): Route {
  return {
    method: 'POST',
    path: '/session',
    limitedCallers: 'permitted',
    level: 'none',
    tag,
    summary: 'Signs in with a key, or with e-mail and password; the answer sets the cookie of the session.',
    description:
      'Behind a proxy that signs people in (VANTAGE_SIGN_IN_HEADER) an empty body signs in whom the proxy names. For web pages of this controller: the cookie is HttpOnly, Secure and SameSite=Strict. A session that the request carries already ends. Programs send their key with each request instead.',
    body: signIn,
    setsCookie: true,
    response: sessionFull,
    names,
    run: async ({
      db,
      query,
      body,
      address,
      proxy,
      session: before,
    }: RouteRequest): Promise<Reply<unknown>> => {
      readQuery(undefined, query);
      const sent = readFields(signIn, await body(), []);
      const identified = await identify(deps, sent, { address, proxy });
      if (before?.signIn !== undefined) await end(db, deps, before, before.signIn.sessionNo);
      const token = newCredential();
      const begun = await beginSession(db, deps.catalog, { ...identified, token, isByProvider: false });
      const session = { ...begun, csrfToken: csrfTokenOf(token), isByProvider: false };
      return { body: await show(db, identified.session, session), cookie: sessionCookie(token) };
    },
  };
}

/** Finds out who signs in; a refusal is noted. */
async function identify(
  deps: SessionRouteDeps,
  sent: z.output<typeof signIn>,
  { address, proxy }: Pick<RouteRequest, 'address' | 'proxy'>,
): Promise<Identified> {
  const { Key: key, Name: user, Email: email, Account: account, Password: password = '' } = sent;
  const noting = (who: RefusedCaller) => (problem: unknown) => {
    if (problem instanceof Problem && isRefused(problem)) deps.onRefused({ who, address, problem });
    throw problem;
  };
  if (key !== undefined && email === undefined && account === undefined) {
    const keyHash = hashCredential(key);
    const basic = { user: user ?? '', password };
    return {
      session: await deps.identify(key, basic, address).catch(noting({ keyHash })),
      passwordHash: null,
      isProven: false,
    };
  }
  if (email !== undefined && key === undefined && user === undefined) {
    const person = { email, account };
    const found = await deps.identifyPerson({ ...person, password }, address).catch(noting(person));
    return { ...found, isProven: false };
  }
  const isByProxy = key === undefined && email === undefined && user === undefined && password === '';
  if (isByProxy && proxy?.user !== undefined) {
    const person = { email: proxy.user, account };
    return {
      session: await deps.identifyProxied(person, address).catch(noting(person)),
      passwordHash: null,
      isProven: true,
    };
  }
  const message = 'Send Key (with Name and Password if the key has them), or Email and Password';
  throw invalid([{ field: 'Key', message }]);
}

/** Ends a session here at once, and at the other controllers by the commit's notification. */
async function end(db: Db, deps: SessionRouteDeps, session: Session, sessionNo: number): Promise<void> {
  const { accountNo, keyName } = session;
  await deps.catalog.change(db, actorOf(session), async (transaction) => {
    const sessionId = await deleteSession(transaction.trx, sessionNo);
    if (sessionId === undefined) throw missing('session');
    await publish(transaction.trx, 'revoked', { agent_nos: [], key_nos: [], session_nos: [sessionNo] });
    const fields = deletedFields({ Key: keyName });
    transaction.record({ action: 'delete', kind: 'session', accountNo, id: sessionId, fields });
  });
  deps.onEnded(db, sessionNo);
}

async function show(
  { kysely }: Reader,
  { keyName, keyNo, level, scope, zone }: Session,
  { endsUs, csrfToken }: SignIn,
): Promise<z.input<typeof sessionFull>> {
  const person = await readUserOfKey(kysely, keyNo);
  const HasPassword = typeof person?.passwordHash === 'string';
  const names = await namesOfTags(kysely, scope ?? null);
  const Tags = names === null ? null : [...names];
  return {
    Name: keyName,
    Level: level,
    Tags,
    Expires: zone.format(endsUs),
    HasPassword,
    CsrfToken: csrfToken,
  };
}
