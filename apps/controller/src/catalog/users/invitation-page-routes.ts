import { clientNetwork, createFairSemaphore, declareShare, greaterNetwork } from '@vantage/kernel';
import type { Db } from '../../platform/db/index.ts';
import { hashCredential } from '../../platform/secrets/credential.ts';
import { storedTextFault } from '../../rest/http/field.ts';
import { type FormPage, formPage, formPageHeaders } from '../../rest/http/form-page.ts';
import type { OuterReply, OuterRoute } from '../../rest/http/outer-routes.ts';
import type { Catalog } from '../change.ts';
import { leastPassword, mostPassword, newPassword } from './fields.ts';
import type { MailPerson } from './mail-texts.ts';
import { readInvited } from './store.ts';
import { acceptInvitation, hashPersonPassword } from './write.ts';

declareShare({
  name: 'hashes_of_invited_people',
  limit: '1 computed, 16 wait',
  filledBy: 'people who are invited',
  share: '4 wait of an address (IPv6: /64); greater networks take turns',
});

/** Where invitations are accepted; the token follows. */
export const invitationPath = '/invitation/';

/** Each hash of a password takes 16 MiB and a processor for 50 ms. */
const hashing = { running: 1, perOwner: { running: 1, waiting: 4 }, waiting: 16 } as const;

const fields = `<label for="password">Password, at least ${leastPassword} characters</label><input id="password" name="Password" type="password" autocomplete="new-password" minlength="${leastPassword}" maxlength="${mostPassword}" required><label for="again">The same again</label><input id="again" name="Again" type="password" autocomplete="new-password" maxlength="${mostPassword}" required><button>Set the password</button>`;

const over: FormPage = {
  title: 'This invitation is over',
  lines: ['It was accepted or replaced, or its time is up. Ask an admin of the account for another one.'],
  fields: null,
};

/** The page on which an invited person chooses a password. Showing it changes nothing; the form acts, once. */
export function invitationPageRoutes({
  db,
  catalog,
  onKeyChanged,
  mailPerson,
}: {
  readonly db: Pick<Db, 'kysely'>;
  readonly catalog: Catalog;
  readonly onKeyChanged: (keyNo: number) => void;
  /** Tells people of changes of their sign-in; undefined: there is no mail server. */
  readonly mailPerson: MailPerson | undefined;
}): readonly OuterRoute[] {
  const places = createFairSemaphore<string>({ ...hashing, groupOf: greaterNetwork });
  return [
    {
      path: invitationPath,
      needsKey: 'signed',
      async run({ rest: token, isSent, fields: sent, address }) {
        const invited = await readInvited(db.kysely, hashCredential(token), { lock: false });
        if (invited === undefined) return reply(404, over);
        const { name, account, keyNo } = invited;
        const email = invited.invitationEmail ?? invited.email;
        const title = `Welcome, ${name}`;
        const lines = [`You are invited to the account ${account}. You will sign in as ${email}.`];
        if (!isSent) return reply(200, { title, lines, fields });
        const fault = passwordFault(sent);
        if (fault !== undefined) return reply(409, { title, lines: [...lines, fault], fields });
        const hashed = await places.run(clientNetwork(address), () =>
          hashPersonPassword(sent.get('Password') ?? ''),
        );
        if (hashed === undefined)
          return reply(503, { title, lines: ['Too many passwords at once. Try again in a moment.'], fields });
        const accepted = await catalog.change({ kind: 'api-key', keyNo, address }, (transaction) =>
          acceptInvitation(transaction, { token, passwordHash: hashed.value, mailPerson }),
        );
        if (accepted === undefined) return reply(404, over);
        onKeyChanged(keyNo);
        const done = `Your password is set. Sign in as ${email}.`;
        return reply(200, { title, lines: [done], fields: null, links: [{ to: '/', words: 'Sign in' }] });
      },
    },
  ];
}

/** Why the passwords of the form are not accepted. Pure. */
function passwordFault(sent: URLSearchParams): string | undefined {
  const password = sent.get('Password') ?? '';
  if (password !== (sent.get('Again') ?? '')) return 'The two passwords differ.';
  if (!newPassword.safeParse(password).success || storedTextFault('Password', password) !== undefined)
    return `A password has ${leastPassword} to ${mostPassword} characters.`;
  return undefined;
}

function reply(status: OuterReply['status'], page: FormPage): OuterReply {
  return { status, type: 'text/html; charset=utf-8', headers: formPageHeaders, body: formPage(page) };
}
