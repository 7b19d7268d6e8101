import { type Clock, declareState, type Logger } from '@vantage/kernel';
import type { TimeScale } from '../../../platform/config/time-scale.ts';
import type { Db } from '../../../platform/db/index.ts';
import { escaped, linked } from '../../../rest/http/form-page.ts';
import { withinTime } from '../attempt.ts';
import type { Channel } from '../channels/channel.ts';
import { leaseUs } from '../claim.ts';
import { afterAttempt, retryTimes } from '../notification-state.ts';
import type { SubscriptionLinks } from '../page-mails/subscriptions.ts';
import type { Places } from '../sending/places.ts';
import { createSender } from '../sending/sender.ts';
import { type ClaimedMail, claimMails, type DueMails, delayMail, dueMails, endMail } from './mail-store.ts';

/** Dependencies of the sender of mails to subscribers of status pages, and of monthly reports. */
export interface SendMailsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly timeScale?: TimeScale;
  /** The channel of e-mail. */
  readonly channel: Channel;
  readonly links: SubscriptionLinks;
  /** Where the controller is, without a slash at the end. */
  readonly baseUrl: () => string;
  readonly mayGiveUp: () => boolean;
}

/** Mails that leave at once, by the operator's mail server. */
export const mailPlaces: Places = {
  all: { total: 32, account: 16, host: 32, receiver: 8 },
  slow: { total: 24, account: 12, host: 24, receiver: 8 },
  failing: { total: 24, account: 12, host: 24, receiver: 8 },
};

const track = declareState({
  name: 'sent_mails',
  entries: mailPlaces.all.total,
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
    places: mailPlaces,
    track,
    texts: {
      failed: 'mails about status pages and monthly reports cannot be sent; trying again',
      recovered: 'mails about status pages and monthly reports are sent again',
    },
    sending: {
      due: (taken, limit) => dueMails(db.kysely, { nowUs: clock.nowUs(), taken, limit }),
      async claim({ accountNo, sender: name }, limit) {
        const ask = { accountNo, sender: name, nowUs: clock.nowUs(), leaseUs, limit };
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

/** The bodies of a mail. Those to subscribers end with where the page is, and how the mails end. */
function contentOf({ links, baseUrl }: SendMailsDeps, mail: ClaimedMail) {
  if (mail.report_no !== null) return { text: mail.body, html: mail.html };
  if (mail.subscriber_no === null) return { text: mail.body, html: mailHtml(mail.subject, mail.body) };
  const address = `${baseUrl()}/status/${mail.path}`;
  const end = `${address}/end/${links.sign('end', mail.subscriber_no, mail.asked_us)}`;
  const foot = mail.is_confirmed ? `The status page: ${address}\nNo further mails: ${end}` : '';
  const text = [mail.body, foot].filter((part) => part !== '').join('\n\n');
  return { text, html: mailHtml(mail.subject, text), ...(mail.is_confirmed && { unsubscribe: end }) };
}

/** A mail of paragraphs as HTML: its addresses are links; nothing is loaded. Pure. */
export function mailHtml(title: string, text: string): string {
  const paragraphs = text
    .split('\n\n')
    .map(
      (each) => `<p style="margin:0 0 12px;white-space:pre-line;overflow-wrap:anywhere">${linked(each)}</p>`,
    );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light"><title>${escaped(title)}</title></head>
<body style="margin:0;padding:24px 16px;background-color:#ffffff;color:#1c1d1f;font-family:Arial,Helvetica,sans-serif;font-size:14px;line-height:20px"><main style="max-width:600px">
<h1 style="margin:0 0 12px;font-size:18px;line-height:24px;overflow-wrap:anywhere">${escaped(title)}</h1>
${paragraphs.join('\n')}
</main></body></html>
`;
}
