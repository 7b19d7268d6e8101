import { type Clock, declareState, type Logger } from '@vantage/kernel';
import type { Db } from '@vantage/storage';
import type { TimeScale } from '../../../config/time-scale.ts';
import type { Channel } from '../../channels/channel.ts';
import { withinTime } from '../attempt.ts';
import { afterAttempt, retryTimes } from '../notification-state.ts';
import type { SubscriptionLinks } from '../page-mails/subscription-links.ts';
import { createSender } from '../sending/sender.ts';
import type { Slots } from '../sending/slots.ts';
import { type ClaimedMail, claimMails, type DueMails, delayMail, dueMails, endMail } from './mail-store.ts';
import { mailHtml } from './paragraph-mail-html.ts';

export interface SendMailsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly timeScale?: TimeScale;
  /** The channel of e-mail. */
  readonly channel: Channel;
  readonly links: SubscriptionLinks;
  /** The controller's address without a trailing slash. */
  readonly baseUrl: () => string;
  readonly mayGiveUp: () => boolean;
}

/** Mails that are sent at the same time, by the operator's mail server. */
export const mailSlots: Slots = {
  all: { total: 32, account: 16, host: 32, receiver: 8 },
  slow: { total: 24, account: 12, host: 24, receiver: 8 },
  failing: { total: 24, account: 12, host: 24, receiver: 8 },
};

const track = declareState({
  name: 'sent_mails',
  entries: mailSlots.all.total,
  entryBytes: 131_072,
  filledBy: 'accounts, strangers who subscribe',
  atBound: 'others wait in the database',
});

/** Sends the mails that are due, until the signal aborts. Any number of controllers may run it. */
export async function sendMails(deps: SendMailsDeps, signal: AbortSignal): Promise<void> {
  const { db, clock, log, timeScale } = deps;
  const sender = createSender<DueMails>({
    clock,
    log,
    timeScale,
    slots: mailSlots,
    track,
    texts: {
      failed: 'mails about status pages and monthly reports cannot be sent; trying again',
      recovered: 'mails about status pages and monthly reports are sent again',
    },
    sending: {
      due: (taken, limit) => dueMails(db.kysely, { nowUs: clock.nowUs(), taken, limit }),
      async claim({ accountNo, sender: name }, limit) {
        const ask = { accountNo, sender: name, nowUs: clock.nowUs(), limit };
        const claimed = await claimMails(db.kysely, ask);
        return claimed.map((mail) => (ending) => send(deps, mail, ending));
      },
    },
  });
  await sender.run(signal);
}

/** Sends one mail, and records how it went. */
async function send(deps: SendMailsDeps, mail: ClaimedMail, ending: AbortSignal): Promise<void> {
  const { db, clock, log, channel, timeScale } = deps;
  const message = { subject: mail.subject, thread: null, ...contentOf(deps, mail) };
  const to = { name: '', address: mail.email, secret: null, previousSecret: null };
  const outcome = await withinTime(clock, ending, (signal, nowUs) =>
    channel.send({ id: mail.mail_id, message, to, nowUs }, signal),
  );
  const attempt = { attempts: mail.attempts, firstAttemptUs: mail.first_attempt_us, nowUs: clock.nowUs() };
  const next = afterAttempt(attempt, outcome, retryTimes(timeScale, deps.mayGiveUp()));
  if (next.state === 'Pending') return delayMail(db.kysely, mail.mail_no, next.dueUs);
  if (next.state === 'Failed') {
    log.info({ ...subjectOf(mail), answer: next.reason }, 'a mail was not delivered');
  }
  await endMail(db.kysely, mail, next.state === 'Failed' ? next.reason : outcome.text);
}

/** The subject of a mail, for the log. */
function subjectOf(mail: ClaimedMail): object {
  if (mail.report_no !== null) return { reportNo: mail.report_no };
  return mail.subscriber_no === null ? {} : { page: mail.path };
}

/** The bodies of a mail. A mail to a subscriber ends with the links to the page and to unsubscribe. */
function contentOf({ links, baseUrl }: SendMailsDeps, mail: ClaimedMail) {
  if (mail.report_no !== null) return { text: mail.body, html: mail.html };
  if (mail.subscriber_no === null) return { text: mail.body, html: mailHtml(mail.subject, mail.body) };
  const address = `${baseUrl()}/status/${mail.path}`;
  const end = `${address}/end/${links.sign('end', mail.subscriber_no, mail.asked_us)}`;
  const foot = mail.is_confirmed ? `The status page: ${address}\nNo further mails: ${end}` : '';
  const text = [mail.body, foot].filter((part) => part !== '').join('\n\n');
  return { text, html: mailHtml(mail.subject, text), ...(mail.is_confirmed && { unsubscribe: end }) };
}
