import type { Reader } from '@vantage/storage';
import type { EventScope } from '../history/event-store.ts';
import { candidates, judgedOutages, newestFirst } from './judged-outages.ts';
import { outagesWithFacts } from './outage-facts.ts';
import type { JudgedOutage, OutagePage, OutageRow } from './outage-page.ts';

/** A list searches at most this many intervals, whatever its filters leave out. */
export const maxJudged = 50_000;

/** Outages whose facts one statement reads. */
const factsAtOnce = 200;

/** A list of outages. */
interface FoundOutages {
  readonly rows: readonly OutageRow[];
  /** false: its filters left out so much that the list ends before all was looked through. */
  readonly isComplete: boolean;
}

/** Outages, those with the newest first error first, one row more than `limit` to know whether there are more. */
export async function listOutages(
  { kysely }: Reader,
  scope: EventScope,
  page: OutagePage,
): Promise<FoundOutages> {
  const needed = page.offset + page.limit + 1;
  const judged: JudgedOutage[] = [];
  let looked = 0;
  for await (const places of candidates(kysely, scope, page)) {
    looked += places.length;
    const { rows } = await judgedOutages(places, page).execute(kysely);
    judged.push(...rows.sort(newestFirst));
    if (judged.length >= needed || looked >= maxJudged) break;
  }
  const rows: OutageRow[] = [];
  for (let at = page.offset; at < Math.min(needed, judged.length); at += factsAtOnce) {
    const some = judged.slice(at, Math.min(at + factsAtOnce, needed));
    rows.push(...(await outagesWithFacts(some, page.nowUs).execute(kysely)).rows.toSorted(newestFirst));
  }
  return { rows, isComplete: judged.length >= needed || looked < maxJudged };
}

/** Whether the account has this device. */
export async function hasDevice({ kysely }: Reader, accountNo: number, deviceNo: number): Promise<boolean> {
  const row = await kysely
    .selectFrom('devices')
    .select('device_no')
    .where('device_no', '=', deviceNo)
    .where('account_no', '=', accountNo)
    .executeTakeFirst();
  return row !== undefined;
}
