import { declareShare } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { hostOf, readDueReceivers, type TakenSlots } from '../sending/due-receivers.ts';
import { isUnleased, leaseEndUs } from '../sending/leases.ts';
import type { Due } from '../sending/slots.ts';

declareShare({
  name: 'hooks_that_are_due',
  limit: '128 at one time; 64 to slow receivers, 32 to failing ones',
  filledBy: 'accounts',
  share: '32 an account, 64 a host, 1 a hook; slow 16, 32, 1; failing 8, 16, 1; accounts take turns',
});

/** A hook whose next event may be sent by this worker. */
export interface ClaimedHook {
  readonly hook_no: number;
  readonly hook_id: string;
  readonly account_no: number;
  readonly timezone: string;
  readonly name: string;
  readonly sealed: Uint8Array;
  readonly types: readonly string[] | null;
  readonly tag_no: number | null;
  /** The last event that needs no further attempt. */
  readonly after_no: number;
  /** Attempts of the event after it, and when the first one began. */
  readonly attempts: number;
  readonly first_attempt_us: number | null;
  readonly failing_since_us: number | null;
}

/** The accounts that have hooks. */
export async function accountsWithHooks(kysely: Kysely<Tables>): Promise<ReadonlySet<number>> {
  const rows = await kysely.selectFrom('hooks').select('account_no').distinct().execute();
  return new Set(rows.map(({ account_no }) => account_no));
}

/** A hook that has events to send. */
export interface DueHook extends Due {
  readonly hookNo: number;
}

/** Up to `limit` hooks of these accounts that are due, not leased and not at `upToNo` yet, in turns by account. */
export async function dueHooks(
  kysely: Kysely<Tables>,
  ask: {
    readonly accountNos: readonly number[];
    readonly upToNo: number;
    readonly nowUs: number;
    readonly taken: TakenSlots;
    readonly limit: number;
  },
): Promise<readonly DueHook[]> {
  if (ask.accountNos.length === 0) return [];
  await sql`
    insert into hook_progress (hook_no, after_no)
    select hook_no, after_no from hooks h where account_no = any(${ask.accountNos}::int[])
      and not exists (select from hook_progress p where p.hook_no = h.hook_no)
    on conflict do nothing`.execute(kysely);
  const tables = sql`due as (
      select p.hook_no, 'hook ' || p.hook_no as receiver, h.account_no, p.due_us, p.failing_since_us is not null as failing,
        ${hostOf(sql.ref('h.address'), sql`''`)} as host
      from hook_progress p join hooks h using (hook_no)
      where h.account_no = any(${ask.accountNos}::int[]) and ${isOpen(ask)})`;
  return readDueReceivers(kysely, {
    tables,
    keys: sql`hook_no as "hookNo"`,
    taken: ask.taken,
    limit: ask.limit,
  });
}

/** The row `p` of hook_progress is due, not leased and not at `upToNo` yet. */
function isOpen({ nowUs, upToNo }: { readonly nowUs: number; readonly upToNo: number }) {
  return sql<boolean>`p.due_us <= ${nowUs}::bigint and p.after_no < ${upToNo}::bigint
    and ${isUnleased('p')}`;
}

/** Leases a hook; undefined: another worker has it, or it no longer has anything to send. */
export async function leaseHook(
  kysely: Kysely<Tables>,
  ask: {
    readonly hookNo: number;
    readonly upToNo: number;
    readonly nowUs: number;
    readonly token: string;
  },
): Promise<ClaimedHook | undefined> {
  const { rows } = await sql<ClaimedHook>`
    with due as (
      select p.hook_no from hook_progress p where p.hook_no = ${ask.hookNo} and ${isOpen(ask)} for update skip locked
    ), leased as (
      update hook_progress p set lease_token = ${ask.token}, lease_until_us = ${leaseEndUs}
      from due where p.hook_no = due.hook_no returning p.*
    )
    select h.hook_no, h.hook_id, h.account_no, a.timezone, h.name, h.sealed, h.types, h.tag_no, p.after_no, p.attempts,
      p.first_attempt_us, p.failing_since_us
    from leased p join hooks h using (hook_no) join accounts a using (account_no)`.execute(kysely);
  return rows[0];
}

/** Returns the accounts with a hook that is not at `upToNo` yet. */
export async function accountsBehind(
  kysely: Kysely<Tables>,
  { accountNos, upToNo }: { readonly accountNos: readonly number[]; readonly upToNo: number },
): Promise<readonly number[]> {
  const { rows } = await sql<{ account_no: number }>`
    select distinct h.account_no from hooks h join hook_progress p using (hook_no)
    where h.account_no = any(${accountNos}::int[]) and p.after_no < ${upToNo}::bigint`.execute(kysely);
  return rows.map(({ account_no }) => account_no);
}

/** The state of a hook's deliveries after a round. */
export interface HookProgress {
  readonly after_no: number;
  readonly attempts: number;
  readonly first_attempt_us: number | null;
  readonly due_us: number;
  readonly failing_since_us: number | null;
  /** undefined: nothing was accepted. */
  readonly delivered_us: number | undefined;
  /** undefined: nothing was attempted. */
  readonly last_answer: string | undefined;
  /** Events that were given up in this round. */
  readonly givenUp: number;
}

/** Ends the lease with these results; false: another worker has it by now, and nothing changed. */
export async function recordProgress(
  kysely: Kysely<Tables>,
  { hookNo, token }: { readonly hookNo: number; readonly token: string },
  { givenUp, ...progress }: HookProgress,
): Promise<boolean> {
  const { delivered_us, last_answer, ...always } = progress;
  const { numUpdatedRows } = await kysely
    .updateTable('hook_progress')
    .set({
      ...always,
      ...(delivered_us === undefined ? {} : { delivered_us }),
      ...(last_answer === undefined ? {} : { last_answer }),
      given_up: sql`given_up + ${givenUp}::bigint`,
      lease_token: null,
      lease_until_us: null,
    })
    .where('hook_no', '=', hookNo)
    .where('lease_token', '=', token)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * The last event for this hook that was recorded before `untilUs`, with a number above `afterNo`, and how many such
 * events there are; undefined: there is none.
 */
export async function oldEvents(
  kysely: Kysely<Tables>,
  { account_no, types, tag_no }: Pick<ClaimedHook, 'account_no' | 'types' | 'tag_no'>,
  { afterNo, untilUs }: { readonly afterNo: number; readonly untilUs: number },
): Promise<{ readonly lastNo: number; readonly count: number } | undefined> {
  const { rows } = await sql<{ last_no: number | null; count: number }>`
    select max(event_no) as last_no, count(*)::int as count from events
    where account_no = ${account_no}::int and event_no > ${afterNo}::bigint and recorded_us < ${untilUs}::bigint
      and (${types}::text[] is null or type = any(${types}::text[]))
      and (${tag_no}::int is null or device_no in (select device_no from device_tags where tag_no = ${tag_no}::int))
    `.execute(kysely);
  const [row] = rows;
  return row === undefined || row.last_no === null ? undefined : { lastNo: row.last_no, count: row.count };
}
