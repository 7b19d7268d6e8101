import { type Clock, createJobParts, createWaker, type Logger } from '@vantage/kernel';
import { z } from 'zod';
import { realTime, shortestRoundMs, type TimeScale } from '../../../platform/config/time-scale.ts';
import type { Db } from '../../../platform/db/index.ts';
import { createFollowers, type EventSource } from '../followers.ts';
import { insertSubscriberMails } from '../mails/mail-store.ts';
import {
  accountsWithSubscribers,
  duePages,
  lockNews,
  newsOf,
  newsPauseUs,
  storeNews,
  subscribersOf,
} from './news.ts';

/** Dependencies of the mails about status pages. */
export interface PageMailDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly timeScale?: TimeScale;
  readonly events: EventSource;
}

const roundMs = 5_000;
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

/**
 * Stores mails with what is new for the subscribers of status pages, until the signal aborts. Any number of controllers
 * may run it.
 */
export async function runPageMails(deps: PageMailDeps, signal: AbortSignal): Promise<void> {
  const { db, clock, log, timeScale = realTime } = deps;
  const parts = createJobParts({
    log,
    failed: 'mails about status pages cannot be made; trying again',
    recovered: 'mails about status pages are made again',
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
  while (!signal.aborted) {
    await parts.attempt('news', news);
    await waker.wait(timeScale(roundMs, shortestRoundMs), signal);
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
      await insertSubscriberMails(trx, {
        subject: news.subject,
        body: news.lines.join('\n\n'),
        subscriberNos,
        nowUs,
      });
    }
    const last = found.length < mostEvents ? upToNo : (found.at(-1)?.no ?? upToNo);
    const isSame = notesUs.length === toldUs.length && notesUs.every((us) => toldUs.includes(us));
    // Nothing is written while nothing happens; but the next look is not to read all that happened to others.
    if (news === undefined && isSame && last - afterNo < farNos) return;
    const dueUs = news === undefined ? nowUs : Math.round(nowUs + timeScale(newsPauseUs));
    await storeNews(trx, { pageNo, afterNo: last, notesUs, dueUs });
  });
}
