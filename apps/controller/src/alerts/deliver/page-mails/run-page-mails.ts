import { type Clock, createJobParts, createWaker, type Logger } from '@vantage/kernel';
import type { Db } from '@vantage/storage';
import { z } from 'zod';
import { realTime, shortestRoundMs, type TimeScale } from '../../../config/time-scale.ts';
import type { EventSource } from '../account-events.ts';
import { createAccountsBehind } from '../accounts-behind.ts';
import { insertSubscriberMails } from '../mails/insert-mails.ts';
import { newsOf } from './news.ts';
import {
  accountsWithSubscribers,
  accountsWithUnsentNews,
  duePages,
  lockNews,
  newsPauseUs,
  passQuiet,
  storeNews,
  subscribersOf,
} from './news-store.ts';

export interface PageMailDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly timeScale?: TimeScale;
  readonly events: EventSource;
}

/** News wait at most this long for a round. */
const roundMs = 2_000;
/** Pages of one query. */
const atOnce = 100;
/** Events that are news. */
const types = ['Down', 'Up'] as const;
/** A mail has at most this many events; the others come in the next one. */
const maxEvents = 1_000;

const facts = z.object({
  ShortName: z.string().nullable(),
  FullName: z.string().nullable(),
  Timestamp: z.string(),
  Duration: z.number().nullable(),
  Late: z.boolean(),
});
const notes = z.array(z.object({ AtUs: z.number(), Kind: z.string(), Text: z.string() }));

/**
 * Stores mails with the news of status pages for their subscribers, until the signal aborts. Any number of controllers
 * may run it.
 */
export async function runPageMails(deps: PageMailDeps, signal: AbortSignal): Promise<void> {
  const { db, clock, log, timeScale = realTime } = deps;
  const parts = createJobParts({
    log,
    failed: 'mails about status pages cannot be composed; trying again',
    recovered: 'mails about status pages are composed again',
  });
  const waker = createWaker(clock);
  using behind = createAccountsBehind({
    clock,
    events: deps.events,
    readAccounts: () => accountsWithSubscribers(db.kysely),
    stillBehind: (seen) => accountsWithUnsentNews(db.kysely, seen),
    types,
  });
  const news = async () => {
    const seen = await behind.read();
    if (seen === undefined) return;
    await passQuiet(db.kysely, seen);
    const visited: number[] = [];
    const next = () => duePages(db.kysely, { ...seen, nowUs: clock.nowUs(), except: visited, limit: atOnce });
    for (let due = await next(); due.length > 0 && !signal.aborted; due = await next())
      for (const pageNo of due) {
        visited.push(pageNo);
        await parts.attempt(`page ${pageNo}`, () => storeNewsMails(deps, pageNo, seen.upToNo));
      }
    await behind.forgetDone(seen);
  };
  while (!signal.aborted) {
    await parts.attempt('news', news);
    await waker.wait(timeScale(roundMs, shortestRoundMs), signal);
  }
}

/** Stores a mail with the news of a page for each subscriber, and the page's new position, in one transaction. */
async function storeNewsMails(
  { db, clock, events: source, timeScale = realTime }: PageMailDeps,
  pageNo: number,
  upToNo: number,
): Promise<void> {
  await db.kysely.transaction().execute(async (trx) => {
    const page = await lockNews(trx, pageNo);
    if (page === undefined) return;
    const [nowUs, written] = [clock.nowUs(), notes.safeParse(page.notes).data ?? []];
    const { after_no: afterNo, notes_us: sentUs } = page;
    const notesUs = written.map(({ AtUs }) => AtUs);
    // The first subscriber gets the news from now on.
    if (afterNo === null || sentUs === null)
      return storeNews(trx, { pageNo, afterNo: upToNo, notesUs, dueUs: nowUs });
    const found = await source.read({
      accountNo: page.account_no,
      timezone: page.timezone,
      afterNo,
      upToNo,
      limit: maxEvents,
      types,
      tagNos: page.tag_nos ?? undefined,
    });
    const news = newsOf(
      page.name,
      found.map(({ type, record }) => ({ type, facts: facts.parse(record) })),
      written.filter(({ AtUs }) => !sentUs.includes(AtUs)),
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
    const last = found.length < maxEvents ? upToNo : (found.at(-1)?.no ?? upToNo);
    const isSame = notesUs.length === sentUs.length && notesUs.every((us) => sentUs.includes(us));
    if (news === undefined && isSame && last === afterNo) return;
    const dueUs = news === undefined ? nowUs : Math.round(nowUs + timeScale(newsPauseUs));
    await storeNews(trx, { pageNo, afterNo: last, notesUs, dueUs });
  });
}
