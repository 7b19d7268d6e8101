import { emailFault } from '@vantage/alerts';
import { hourUs } from '@vantage/domain';
import {
  type Clock,
  clientNetwork,
  createFairSemaphore,
  declareShare,
  greaterNetwork,
} from '@vantage/kernel';
import { createAttemptLimit } from '@vantage/rest-kit/attempt-limit';
import { type FormPage, formPage, formPageHeaders } from '@vantage/rest-kit/form-page';
import type { OuterReply, OuterRoute } from '@vantage/rest-kit/outer-routes';
import { emailKey } from '@vantage/rest-kit/person-check';
import type { Db } from '@vantage/storage';
import type { Catalog } from '../../resources/change.ts';
import { secretField } from '../../resources/field-changes.ts';
import { invitationPath } from './invitation-page-routes.ts';
import { invite } from './invite-user.ts';
import { lockPeopleWithPassword } from './invited-store.ts';
import { forgottenMail, type MailPerson } from './mail-texts.ts';

declareShare({
  name: 'forgotten_passwords',
  limit: '1 handled, 16 wait',
  filledBy: 'strangers',
  share: '4 wait of an address (IPv6: /64); greater networks take turns; a person gets one link at a time',
});

declareShare({
  name: 'requests_for_a_forgotten_password',
  limit: '5 a minute for each address (IPv6: /64)',
  filledBy: 'strangers',
  share: 'the same',
});

/** The path of the page on which people request a link to choose another password. */
const forgottenPath = '/forgotten';

/** The link works for this time, and meanwhile the person gets no other one. */
const linkHours = 1;
const requestsPerMinute = 5;
const handling = { running: 1, perOwner: { running: 1, waiting: 4 }, waiting: 16 } as const;

const title = 'Forgot your password?';
const fields =
  '<label for="email">Your e-mail address</label><input id="email" name="Email" type="email" autocomplete="username" maxlength="254" required autofocus><button>Send me a link</button>';
const back = [{ to: '/', words: 'Sign in' }];
const intro = `You get a mail with a link to choose another password. The link works once, for ${linkHours} hour.`;
const sent = [
  'If a person with this address signs in with a password here, a mail with a link is on its way.',
  'While a link or an invitation is open, no other one is sent.',
];

/**
 * The page that mails people a link to choose another password. The answer is the same, and takes the same time,
 * whether the person exists: the work runs after it.
 */
export function forgottenPageRoutes({
  db,
  clock,
  catalog,
  baseUrl,
  mailPerson,
  onLost,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly catalog: Catalog;
  /** The address at which people reach this installation, without a slash at the end. */
  readonly baseUrl: () => string;
  /** undefined: there is no mail server. */
  readonly mailPerson: () => MailPerson | undefined;
  /** Called if a request could not be handled; undefined: too many waited. */
  readonly onLost: (error: unknown) => void;
}): readonly OuterRoute[] {
  const asking = createAttemptLimit(clock, requestsPerMinute);
  const places = createFairSemaphore<string>({ ...handling, groupOf: greaterNetwork });
  return [
    {
      path: forgottenPath,
      needsKey: 'signed',
      async run({ rest, isSent, fields: form, address }) {
        if (rest !== '')
          return reply(404, { title: 'Not found', lines: ['There is no such page.'], fields: null });
        const mail = mailPerson();
        if (mail === undefined) return reply(200, { title, lines: [noMail], fields: null, links: back });
        if (!isSent) return reply(200, { title, lines: [intro], fields, links: back });
        const email = emailKey(form.get('Email') ?? '');
        const fault = emailFault(email);
        if (fault !== null)
          return reply(409, { title, lines: [intro, `An e-mail address ${fault}.`], fields, links: back });
        const network = clientNetwork(address);
        const turn = asking.begin(network);
        if ('waitS' in turn)
          return reply(503, {
            title: 'Too many requests',
            lines: [`Try again in ${turn.waitS} seconds.`],
            fields: null,
            links: back,
          });
        places
          .run(network, () => sendLinks({ db, catalog, baseUrl: baseUrl(), mail }, email, address))
          .then((done) => {
            if (done === undefined) onLost(undefined);
          }, onLost);
        return reply(200, { title: 'Look into your mailbox', lines: sent, fields: null, links: back });
      },
    },
  ];
}

const noMail =
  'This installation has no mail server, so it cannot send a link. An admin of your account can invite you again; then you choose another password.';

/** Mails a link to each person with this address and a password: one of each account. */
async function sendLinks(
  {
    db,
    catalog,
    baseUrl,
    mail,
  }: { readonly db: Db; readonly catalog: Catalog; readonly baseUrl: string; readonly mail: MailPerson },
  email: string,
  address: string,
): Promise<void> {
  await catalog.change(db, { kind: 'stranger', address }, async (transaction) => {
    for (const user of await lockPeopleWithPassword(transaction, email)) {
      // A stranger must neither end an invitation nor fill a mailbox.
      if (user.isInvitationOpen) continue;
      const { accountNo, userId: id } = user;
      const { token } = await invite(transaction, id, null, linkHours * hourUs);
      transaction.record({
        action: 'update',
        kind: 'user',
        accountNo,
        id,
        fields: [secretField('PasswordLink', false)],
      });
      const link = `${baseUrl}${invitationPath}${token}`;
      await mail(transaction.trx, forgottenMail(user, { link, hours: linkHours, address }));
    }
  });
}

function reply(status: OuterReply['status'], page: FormPage): OuterReply {
  return { status, type: 'text/html; charset=utf-8', headers: formPageHeaders, body: formPage(page) };
}
