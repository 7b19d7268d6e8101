import { minuteUs } from '@vantage/domain';
import { declareShare } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../../platform/db/index.ts';
import type { ReadEvent } from '../followers.ts';
import { inTurns } from '../sending/places.ts';

declareShare({
  name: 'status_pages_with_news',
  limit: '100 in a round',
  filledBy: 'accounts, readers of status pages',
  share: 'accounts take turns; a page that was tried is passed over',
});

/** A note on a status page. */
export interface PageNote {
  readonly AtUs: number;
  readonly Kind: string;
  readonly Text: string;
}

/** The news of a page for its subscribers. */
export interface News {
  readonly subject: string;
  readonly lines: readonly string[];
}

/** The part of an event's record that news are made of. */
interface EventFacts {
  readonly ShortName: string | null;
  readonly FullName: string | null;
  readonly Timestamp: string;
  readonly Duration: number | null;
  readonly Late: boolean;
}

/** At most so many lines; the rest is counted. */
const mostLines = 40;

/**
 * The news in some events (Down, Up) and notes, in the order in which they happened; undefined: there are none. Of a
 * service that went down and came back among them there is one line. Results that came late are no news. Pure.
 */
export function newsOf(
  name: string,
  events: readonly (Pick<ReadEvent, 'type'> & { readonly facts: EventFacts })[],
  notes: readonly PageNote[],
): News | undefined {
  const last = new Map<string, { readonly type: string; readonly line: string }>();
  for (const { type, facts } of events) {
    if (facts.Late) continue;
    const service = facts.FullName || facts.ShortName || 'A service that was deleted';
    const at = facts.Timestamp.slice(11, 16);
    const line =
      type === 'Down'
        ? `${service} is down since ${at}.`
        : `${service} is up again since ${at}${facts.Duration === null ? '' : `, it was down for ${lengthText(facts.Duration)}`}.`;
    last.delete(service);
    last.set(service, { type, line });
  }
  const states = [...last.values()];
  const written = notes.map(({ Kind, Text }) => `${Kind}: ${Text}`);
  const lines = [...written, ...states.map(({ line }) => line)];
  if (lines.length === 0) return undefined;
  const down = states.filter(({ type }) => type === 'Down').length;
  const [first = ''] = lines;
  const subject =
    written.length > 0
      ? `${name}: ${first.split('\n')[0]?.slice(0, 100)}`
      : states.length === 1
        ? `${name}: ${first.replace(/\.$/, '')}`
        : down > 0
          ? `${name}: ${down} service${down === 1 ? ' is' : 's are'} down`
          : `${name}: ${states.length} services are up again`;
  const shown = lines.slice(0, mostLines);
  if (lines.length > shown.length) shown.push(`And ${lines.length - shown.length} more.`);
  return { subject, lines: shown };
}

function lengthText(seconds: number): string {
  const minutes = Math.max(1, Math.round(seconds / 60));
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes} min` : `${hours} h ${minutes % 60} min`;
}

/** A status page whose subscribers may get news. */
interface NewsPage {
  readonly page_no: number;
  readonly account_no: number;
  readonly name: string;
  readonly path: string;
  readonly tag_nos: number[] | null;
  readonly timezone: string;
  readonly notes: unknown;
  /** null: nobody was told anything yet. */
  readonly after_no: number | null;
  readonly notes_us: number[] | null;
}

/** Subscribers of a page get at most one mail in this time. */
export const newsPauseUs = 5 * minuteUs;

/** The accounts whose pages have subscribers. */
export async function accountsWithSubscribers(kysely: Kysely<Tables>): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ account_no: number }>`
    select distinct p.account_no from pages p join page_subscribers s using (page_no)
    where s.confirmed_us is not null`.execute(kysely);
  return new Set(rows.map(({ account_no }) => account_no));
}

/** Pages that may have news: of these accounts, up to this number of events. */
interface NewsAsk {
  readonly accountNos: readonly number[];
  readonly upToNo: number;
}

/** A place that is further behind is moved on, so that the next look does not read all of these numbers. */
const farNos = 5_000;

/** Moves the places of pages on in whose accounts nothing happened: those of other accounts than these. */
export async function passQuiet(kysely: Kysely<Tables>, { accountNos, upToNo }: NewsAsk): Promise<void> {
  await sql`
    update page_news set after_no = ${upToNo}::bigint where page_no = any(array(
      select n.page_no from page_news n join pages p using (page_no)
      where n.after_no < ${upToNo - farNos}::bigint and p.account_no <> all(${accountNos}::int[])
      for update of n skip locked))`.execute(kysely);
}

/**
 * Pages with subscribers that may have news: those of the accounts `accountNos` that were not told all up to `upToNo`,
 * those whose notes changed, and new ones. They come in turns by account, at most `limit` and without `besides`, so
 * that a page that stays due hides no other one.
 */
export async function duePages(
  kysely: Kysely<Tables>,
  ask: NewsAsk & { readonly nowUs: number; readonly besides: readonly number[]; readonly limit: number },
): Promise<readonly number[]> {
  const toldNotes = sql`to_jsonb(n.notes_us)`;
  const notes = sql`jsonb_path_query_array(p.notes, '$[*].AtUs')`;
  const columns = {
    accountNo: sql.ref('p.account_no'),
    dueUs: sql`coalesce(n.due_us, 0)`,
    receiver: sql.ref('p.page_no'),
  };
  const { rows } = await sql<{ page_no: number }>`
    select p.page_no from pages p left join page_news n using (page_no)
    where coalesce(n.due_us, 0) <= ${ask.nowUs}::bigint and p.page_no <> all(${ask.besides}::int[])
      and (n.page_no is null
        or (n.after_no < ${ask.upToNo}::bigint and p.account_no = any(${ask.accountNos}::int[]))
        or not (${notes} <@ ${toldNotes} and ${notes} @> ${toldNotes}))
      and exists (select from page_subscribers s where s.page_no = p.page_no and s.confirmed_us is not null)
    order by ${inTurns(columns)} limit ${ask.limit}`.execute(kysely);
  return rows.map(({ page_no }) => page_no);
}

/** The accounts among these with a page whose subscribers do not know all up to `upToNo`. */
export async function accountsWithUntold(
  kysely: Kysely<Tables>,
  { accountNos, upToNo }: NewsAsk,
): Promise<readonly number[]> {
  const { rows } = await sql<{ account_no: number }>`
    select distinct p.account_no from pages p left join page_news n using (page_no)
    where p.account_no = any(${accountNos}::int[]) and coalesce(n.after_no, 0) < ${upToNo}::bigint
      and exists (select from page_subscribers s where s.page_no = p.page_no and s.confirmed_us is not null)`.execute(
    kysely,
  );
  return rows.map(({ account_no }) => account_no);
}

/** Locks a page's news for the transaction; undefined: another worker has them, or the page is gone. */
export async function lockNews(trx: Kysely<Tables>, pageNo: number): Promise<NewsPage | undefined> {
  const { rows } = await sql<NewsPage>`
    select p.page_no, p.account_no, p.name, p.path, p.tag_nos, p.notes, a.timezone, n.after_no, n.notes_us
    from pages p join accounts a using (account_no) left join page_news n using (page_no)
    where p.page_no = ${pageNo} and pg_try_advisory_xact_lock(hashtextextended('news of a page', p.page_no))`.execute(
    trx,
  );
  return rows[0];
}

/** Records what the subscribers of a page were told. */
export async function storeNews(
  trx: Kysely<Tables>,
  news: {
    readonly pageNo: number;
    readonly afterNo: number;
    readonly notesUs: readonly number[];
    readonly dueUs: number;
  },
): Promise<void> {
  await sql`
    insert into page_news (page_no, after_no, notes_us, due_us)
    values (${news.pageNo}, ${news.afterNo}, ${news.notesUs}::bigint[], ${news.dueUs})
    on conflict (page_no) do update set after_no = excluded.after_no, notes_us = excluded.notes_us,
      due_us = excluded.due_us`.execute(trx);
}

/** The numbers of the confirmed subscribers of a page. */
export async function subscribersOf(
  trx: Kysely<Tables>,
  { pageNo, untilUs }: { readonly pageNo: number; readonly untilUs: number },
): Promise<readonly number[]> {
  const rows = await trx
    .selectFrom('page_subscribers')
    .select('subscriber_no')
    .where('page_no', '=', pageNo)
    .where('confirmed_us', '<=', untilUs)
    .execute();
  return rows.map(({ subscriber_no }) => subscriber_no);
}
