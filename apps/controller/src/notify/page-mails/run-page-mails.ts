import { type Clock, createJobParts, createWaker, type Logger } from '@vantage/kernel';
import { z } from 'zod';
import { realTime, type TimeScale } from '../../config/time-scale.ts';
import type { Db } from '../../db/index.ts';
import { escaped } from '../../http/form-page.ts';
import { withinTime } from '../attempt.ts';
import type { Channel } from '../channels/channel.ts';
import { leaseUs } from '../claim.ts';
import { createFollowers } from '../followers.ts';
import type { EventSource } from '../hooks/deliver-hooks.ts';
import { afterAttempt, retryTimes } from '../notification-state.ts';
import { newsOf } from './news.ts';
import {
  accountsWithSubscribers,
  type ClaimedMail,
  claimMails,
  delayMail,
  duePages,
  endMail,
  lockNews,
  newsPauseUs,
  storeNews,
  subscribersOf,
} from './news-store.ts';
import { insertMails } from './subscriber-store.ts';
import type { SubscriptionLinks } from './subscription-links.ts';

/** Dependencies of the mails about status pages. */
export interface PageMailDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly timeScale?: TimeScale;
  /** The channel of e-mail. */
  readonly channel: Channel;
  readonly events: EventSource;
  readonly links: SubscriptionLinks;
  /** Where the controller is, without a slash at the end. */
  readonly baseUrl: () => string;
  readonly mayGiveUp: () => boolean;
}

const roundMs = 5_000;
/** Mails that leave at once. */
const atOnce = 8;
/** A place that is so many numbers behind is written anew. */
const farNos = 5_000;
/** Events of one mail at most; further ones come in the next. */
const mostEvents = 1_000;

const facts = z.object({
  ShortName: z.string().nullable(),
  FullName: z.string().nullable(),
  Timestamp: z.string(),
  Duration: z.number().nullable(),
  Late: z.boolean(),
});
const notes = z.array(z.object({ AtUs: z.number(), Kind: z.string(), Text: z.string() }));

/** Tells the subscribers of status pages what is new, until the signal aborts. Any number of controllers may run it. */
export async function runPageMails(deps: PageMailDeps, signal: AbortSignal): Promise<void> {
  const { db, clock, log, timeScale = realTime } = deps;
  const parts = createJobParts({
    log,
    failed: 'mails about status pages cannot be made or sent; trying again',
    recovered: 'mails about status pages are sent again',
  });
  const waker = createWaker(clock);
  using accounts = createFollowers(
    clock,
    () => accountsWithSubscribers(db.kysely),
    (accountNo) => deps.events.follow(accountNo),
  );
  const news = async () => {
    const followers = await accounts.current();
    const ask = { accountNos: [...followers.keys()], nowUs: clock.nowUs() };
    for (const pageNo of await duePages(db.kysely, ask))
      await parts.attempt(`page ${pageNo}`, () =>
        tell(deps, pageNo, (accountNo) => followers.get(accountNo)?.upTo),
      );
  };
  const mails = async () => {
    const ask = { nowUs: clock.nowUs(), leaseUs, limit: atOnce };
    for (
      let claimed = await claimMails(db.kysely, ask);
      claimed.length > 0 && !signal.aborted;
      claimed = await claimMails(db.kysely, { ...ask, nowUs: clock.nowUs() })
    )
      await Promise.all(claimed.map((mail) => send(deps, mail, signal)));
  };
  while (!signal.aborted) {
    await parts.attempt('news', news);
    await parts.attempt('mails', mails);
    await waker.wait(timeScale(roundMs, 100), signal);
  }
}

/** Stores a mail with the news of a page for each subscriber, in the transaction that records that they were told. */
async function tell(
  { db, clock, events: source, timeScale = realTime }: PageMailDeps,
  pageNo: number,
  upToOf: (accountNo: number) => number | undefined,
): Promise<void> {
  await db.kysely.transaction().execute(async (trx) => {
    const page = await lockNews(trx, pageNo);
    const upToNo = page && upToOf(page.account_no);
    if (page === undefined || upToNo === undefined) return;
    const [nowUs, written] = [clock.nowUs(), notes.safeParse(page.notes).data ?? []];
    const { after_no: afterNo, notes_us: toldUs } = page;
    const notesUs = written.map(({ AtUs }) => AtUs);
    // The first subscriber gets what comes from now on.
    if (afterNo === null || toldUs === null)
      return storeNews(trx, { pageNo, afterNo: upToNo, notesUs, dueUs: nowUs });
    const found = await source.read({
      accountNo: page.account_no,
      timezone: page.timezone,
      afterNo,
      upToNo,
      limit: mostEvents,
      types: ['Down', 'Up'],
      tagNos: page.tag_nos ?? undefined,
    });
    const news = newsOf(
      page.name,
      found.map(({ type, record }) => ({ type, facts: facts.parse(record) })),
      written.filter(({ AtUs }) => !toldUs.includes(AtUs)),
    );
    if (news !== undefined) {
      const subscriberNos = await subscribersOf(trx, { pageNo, untilUs: nowUs });
      await insertMails(trx, { subject: news.subject, body: news.lines.join('\n\n'), subscriberNos, nowUs });
    }
    const last = found.length < mostEvents ? upToNo : (found.at(-1)?.no ?? upToNo);
    const isSame = notesUs.length === toldUs.length && notesUs.every((us) => toldUs.includes(us));
    // Nothing is written while nothing happens; but the next look is not to read all that happened to others.
    if (news === undefined && isSame && last - afterNo < farNos) return;
    const dueUs = news === undefined ? nowUs : Math.round(nowUs + timeScale(newsPauseUs));
    await storeNews(trx, { pageNo, afterNo: last, notesUs, dueUs });
  });
}

/** Sends one mail, and records how it went. */
async function send(deps: PageMailDeps, mail: ClaimedMail, ending: AbortSignal): Promise<void> {
  const { db, clock, log, channel, links, baseUrl, timeScale } = deps;
  const address = `${baseUrl()}/status/${mail.path}`;
  const end = `${address}/end/${links.sign('end', mail.subscriber_no, mail.asked_us)}`;
  const foot = mail.is_confirmed ? `The status page: ${address}\nNo further mails: ${end}` : '';
  const text = [mail.body, foot].filter((part) => part !== '').join('\n\n');
  const html = `<!doctype html><html lang="en"><body><p style="white-space:pre-line">${escaped(text)}</p></body></html>`;
  const message = {
    subject: mail.subject,
    text,
    html,
    thread: null,
    ...(mail.is_confirmed && { unsubscribe: end }),
  };
  const to = { name: '', address: mail.email, secret: null, previousSecret: null };
  const outcome = await withinTime(clock, ending, (signal, nowUs) =>
    channel.send({ id: mail.mail_id, message, to, nowUs }, signal),
  );
  const attempt = { attempts: mail.attempts, firstAttemptUs: mail.first_attempt_us, nowUs: clock.nowUs() };
  const next = afterAttempt(attempt, outcome, retryTimes(timeScale, deps.mayGiveUp()));
  if (next.state === 'Pending') return delayMail(db.kysely, mail.mail_no, next.dueUs);
  if (next.state === 'Failed')
    log.info({ page: mail.path, answer: next.reason }, 'a mail about a status page was not delivered');
  await endMail(db.kysely, mail.mail_no);
}
