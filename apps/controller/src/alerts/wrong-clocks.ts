import { newAlertState } from '@vantage/alerts';
import { newId } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../db/index.ts';

/** At most so many alerts open in one transaction. */
const atOnce = 100;

/** Rows of controllers that find a clock wrong and still run. */
const wrong = sql`wrong_clocks where ends_us > (extract(epoch from clock_timestamp()) * 1e6)::bigint`;

/*
 * The alert `clock.wrong` of each account. Facts are the rows of `wrong_clocks`:
 *
 *   alert | controllers                          | alert then
 *   none  | one finds a clock wrong              | opens (severity warning)
 *   open  | none does                            | ends: those who were notified learn it
 *   ended | one does before its end was decided  | is open again: nobody hears of an end
 *
 * A row with `account_nos` is a fact for these accounts only.
 *
 * Any number of controllers may do this, and find a clock wrong: an index permits one open alert an account.
 */

/** Whether a row is a fact for this account. */
const concerns = (accountNo: string) =>
  sql`(account_nos is null or ${sql.ref(accountNo)} = any(account_nos))`;

/** Opens and ends alerts about clocks. Returns how many changed. */
export async function decideClocks(trx: Kysely<Tables>, nowUs: number): Promise<number> {
  const ended = await endOver(trx, nowUs);
  const { rows } = await sql`select from ${wrong} limit 1`.execute(trx);
  if (rows.length === 0) return ended;
  return ended + (await resumeEnded(trx, nowUs)) + (await openMissing(trx, nowUs));
}

async function openMissing(trx: Kysely<Tables>, nowUs: number): Promise<number> {
  const { rows } = await sql<{ account_no: number; reason: string }>`
    select c.account_no, w.reason from accounts c
    cross join lateral (select reason from ${wrong} and ${concerns('c.account_no')} order by controller_id limit 1) w
    where not exists (
      select from alerts a where a.account_no = c.account_no and a.closed_us is null and a.kind = 'clock.wrong')
    order by c.account_no limit ${atOnce}`.execute(trx);
  for (const { account_no, reason } of rows) {
    const state = JSON.stringify({ ...newAlertState('active', nowUs), activeUs: nowUs, note: reason });
    const facts = JSON.stringify({ Name: 'the controller', CheckResult: reason });
    await sql`
      insert into alerts (alert_id, account_no, kind, severity, opened_us, since_us, state, due_us, reason, opening)
      values (${newId()}, ${account_no}, 'clock.wrong', 'warning', ${nowUs}, ${nowUs}, ${state}::jsonb, ${nowUs},
        ${reason}, ${facts}::jsonb)
      on conflict do nothing`.execute(trx);
  }
  return rows.length;
}

async function endOver(trx: Kysely<Tables>, nowUs: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update alerts a set due_us = ${nowUs}, ending = a.opening || jsonb_build_object('CheckResult', null, 'Recovered', true, 'At', ${nowUs}::bigint),
      state = a.state || jsonb_build_object('phase', 'ended', 'phaseSinceUs', ${nowUs}::bigint)
    where a.closed_us is null and a.kind = 'clock.wrong' and a.state ->> 'phase' <> 'ended'
      and not exists (select from ${wrong} and ${concerns('a.account_no')})`.execute(trx);
  return Number(numAffectedRows ?? 0);
}

async function resumeEnded(trx: Kysely<Tables>, nowUs: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update alerts a set due_us = ${nowUs}, ending = null,
      state = a.state || jsonb_build_object('phase', 'active', 'phaseSinceUs', ${nowUs}::bigint)
    where a.closed_us is null and a.kind = 'clock.wrong' and a.state ->> 'phase' = 'ended'
      and exists (select from ${wrong} and ${concerns('a.account_no')})`.execute(trx);
  return Number(numAffectedRows ?? 0);
}
