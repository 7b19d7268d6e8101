import { clientNetwork, createFairSemaphore, declareShare, greaterNetwork } from '@vantage/kernel';
import { storedTextFault } from '@vantage/rest-kit/field';
import { type FormPage, formPage, formPageHeaders } from '@vantage/rest-kit/form-page';
import type { OuterReply, OuterRoute } from '@vantage/rest-kit/outer-routes';
import type { IdentifiedPerson, PersonSignIn } from '@vantage/rest-kit/person-check';
import { Problem } from '@vantage/rest-kit/problem';
import { sessionCookie } from '@vantage/rest-kit/session-cookie';
import type { Db } from '@vantage/storage';
import { hashCredential, newCredential } from '@vantage/storage/secrets/credential';
import type { Catalog } from '../../resources/change.ts';
import { beginSession } from '../sign-in/begin-session.ts';
import { acceptInvitation } from './accept-invitation.ts';
import { readInvited } from './invited-store.ts';
import type { MailPerson } from './mail-texts.ts';
import { maxPasswordLength, minPasswordLength, newPassword } from './user-fields.ts';
import { hashPersonPassword } from './user-write.ts';

declareShare({
  name: 'hashes_of_invited_people',
  limit: '1 computed, 16 wait',
  filledBy: 'people who are invited',
  share: '4 wait of an address (IPv6: /64); greater networks take turns',
});

/** The path at which invitations are accepted; the token follows. */
export const invitationPath = '/invitation/';

/** Each hash of a password takes 16 MiB and a processor for 50 ms. */
const hashing = { running: 1, perOwner: { running: 1, waiting: 4 }, waiting: 16 } as const;

const fields = `<label for="password">Password, at least ${minPasswordLength} characters</label><input id="password" name="Password" type="password" autocomplete="new-password" minlength="${minPasswordLength}" maxlength="${maxPasswordLength}" required><label for="again">The same again</label><input id="again" name="Again" type="password" autocomplete="new-password" maxlength="${maxPasswordLength}" required><button>Set the password</button>`;

const over: FormPage = {
  title: 'This invitation has ended',
  lines: ['It was accepted or replaced, or its time is up. Ask an admin of the account for another one.'],
  fields: null,
};

/** The page on which an invited person chooses a password. Showing it changes nothing; the form acts, once. */
export function invitationPageRoutes({
  db,
  catalog,
  onKeyChanged,
  mailPerson,
  identifyPerson,
}: {
  readonly db: Db;
  readonly catalog: Catalog;
  readonly onKeyChanged: (db: Db, keyNo: number) => void;
  /** Tells people of changes of their sign-in; undefined: there is no mail server. */
  readonly mailPerson: () => MailPerson | undefined;
  /** Finds out who a person is. Throws a Problem (1001, 1006). */
  readonly identifyPerson: (person: PersonSignIn, address: string) => Promise<IdentifiedPerson>;
}): readonly OuterRoute[] {
  const places = createFairSemaphore<string>({ ...hashing, groupOf: greaterNetwork });
  return [
    {
      path: invitationPath,
      needsKey: 'signed',
      async run({ rest: token, isSent, fields: sent, address }) {
        const invited = await readInvited(db.kysely, hashCredential(token), { lock: false });
        if (invited === undefined) return reply(404, over);
        const { name, account, keyNo, passwordHash } = invited;
        const email = invited.invitationEmail ?? invited.email;
        const title = `Hello ${name}`;
        const what =
          passwordHash === null
            ? `You are invited to the account ${account}.`
            : `Choose another password for the account ${account}; all of your sessions end.`;
        const lines = [`${what} You will sign in as ${email}.`];
        if (!isSent) return reply(200, { title, lines, fields });
        const fault = passwordFault(sent);
        if (fault !== undefined) return reply(409, { title, lines: [...lines, fault], fields });
        const hashed = await places.run(clientNetwork(address), () =>
          hashPersonPassword(sent.get('Password') ?? ''),
        );
        if (hashed === undefined)
          return reply(503, { title, lines: ['Too many passwords at once. Try again in a moment.'], fields });
        const accepted = await catalog.change(db, { kind: 'api-key', keyNo, address }, (transaction) =>
          acceptInvitation(transaction, { token, passwordHash: hashed.value, mailPerson: mailPerson() }),
        );
        if (accepted === undefined) return reply(404, over);
        onKeyChanged(db, keyNo);
        const person = { email, account, password: sent.get('Password') ?? '' };
        const secret = await signInPerson({ db, catalog, identifyPerson }, person, address);
        if (secret === undefined) {
          const done = `Your password is set. Sign in as ${email}.`;
          return reply(200, { title, lines: [done], fields: null, links: [{ to: '/', words: 'Sign in' }] });
        }
        const signedIn = ['Your password is set, and you are signed in.'];
        const links = [{ to: '/', words: 'Continue' }];
        // A page of our own in between: the cookie of a session goes along only where our own pages lead.
        return reply(
          200,
          { title, lines: signedIn, fields: null, links },
          {
            Refresh: '0; url=/',
            'Set-Cookie': sessionCookie(secret),
          },
        );
      },
    },
  ];
}

/** Why the passwords of the form are not accepted. Pure. */
function passwordFault(sent: URLSearchParams): string | undefined {
  const password = sent.get('Password') ?? '';
  if (password !== (sent.get('Again') ?? '')) return 'The two passwords differ.';
  if (!newPassword.safeParse(password).success || storedTextFault('Password', password) !== undefined)
    return `A password has ${minPasswordLength} to ${maxPasswordLength} characters.`;
  return undefined;
}

/** Begins a session for the person; undefined: the person must sign in, for example because of too many attempts. */
async function signInPerson(
  {
    db,
    catalog,
    identifyPerson,
  }: {
    readonly db: Db;
    readonly catalog: Catalog;
    readonly identifyPerson: (person: PersonSignIn, address: string) => Promise<IdentifiedPerson>;
  },
  person: PersonSignIn,
  address: string,
): Promise<string | undefined> {
  try {
    const found = await identifyPerson(person, address);
    const token = newCredential();
    await beginSession(db, catalog, { ...found, isProven: false, token, isByProvider: false });
    return token;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

function reply(
  status: OuterReply['status'],
  page: FormPage,
  headers: Readonly<Record<string, string>> = {},
): OuterReply {
  return {
    status,
    type: 'text/html; charset=utf-8',
    headers: { ...formPageHeaders, ...headers },
    body: formPage(page),
  };
}
