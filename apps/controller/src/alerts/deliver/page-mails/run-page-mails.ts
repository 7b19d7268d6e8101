import { type Clock, createJobParts, createWaker, type Logger } from '@vantage/kernel';
import { z } from 'zod';
import { realTime, shortestRoundMs, type TimeScale } from '../../../platform/config/time-scale.ts';
import type { Db } from '../../../platform/db/index.ts';
import { createAccountsBehind } from '../accounts-behind.ts';
import type { EventSource } from '../followers.ts';
import { insertSubscriberMails } from '../mails/mail-store.ts';
import {
  accountsWithSubscribers,
  accountsWithUntold,
  duePages,
  lockNews,
  newsOf,
  newsPauseUs,
  passQuiet,
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

/** Also the longest that news wait for the round. */
const roundMs = 2_000;
/** Pages of one question. */
const atOnce = 100;
/** Events that are news. */
const types = ['Down', 'Up'] as const;
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
  using behind = createAccountsBehind({
    clock,
    events: deps.events,
    readAccounts: () => accountsWithSubscribers(db.kysely),
    stillBehind: (seen) => accountsWithUntold(db.kysely, seen),
    types,
  });
  const news = async () => {
    const seen = await behind.look();
    if (seen === undefined) return;
    await passQuiet(db.kysely, seen);
    const told: number[] = [];
    const next = () => duePages(db.kysely, { ...seen, nowUs: clock.nowUs(), besides: told, limit: atOnce });
    for (let due = await next(); due.length > 0 && !signal.aborted; due = await next())
      for (const pageNo of due) {
        told.push(pageNo);
        await parts.attempt(`page ${pageNo}`, () => tell(deps, pageNo, seen.upToNo));
      }
    await behind.forgetDone(seen);
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
  upToNo: number,
): Promise<void> {
  await db.kysely.transaction().execute(async (trx) => {
    const page = await lockNews(trx, pageNo);
    if (page === undefined) return;
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
      types,
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
    if (news === undefined && isSame && last === afterNo) return;
    const dueUs = news === undefined ? nowUs : Math.round(nowUs + timeScale(newsPauseUs));
    await storeNews(trx, { pageNo, afterNo: last, notesUs, dueUs });
  });
}
