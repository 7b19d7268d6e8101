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
 * Any number of controllers may do this, and find a clock wrong: an index permits one open alert an account.
 */

/** Opens and ends alerts about clocks. Returns how many changed. */
export async function decideClocks(trx: Kysely<Tables>, nowUs: number): Promise<number> {
  const { rows } = await sql<{ reason: string }>`
    select reason from ${wrong} order by controller_id limit 1`.execute(trx);
  const reason = rows[0]?.reason;
  if (reason === undefined) return endAll(trx, nowUs);
  return (await resumeEnded(trx, nowUs)) + (await openMissing(trx, reason, nowUs));
}

async function openMissing(trx: Kysely<Tables>, reason: string, nowUs: number): Promise<number> {
  const { rows } = await sql<{ account_no: number }>`
    select account_no from accounts c where not exists (
      select from alerts a where a.account_no = c.account_no and a.closed_us is null and a.kind = 'clock.wrong')
    order by account_no limit ${atOnce}`.execute(trx);
  const state = JSON.stringify({ ...newAlertState('active', nowUs), activeUs: nowUs, note: reason });
  const facts = JSON.stringify({ Name: 'the controller', CheckResult: reason });
  for (const { account_no } of rows)
    await sql`
      insert into alerts (alert_id, account_no, kind, severity, opened_us, since_us, state, due_us, reason, opening)
      values (${newId()}, ${account_no}, 'clock.wrong', 'warning', ${nowUs}, ${nowUs}, ${state}::jsonb, ${nowUs},
        ${reason}, ${facts}::jsonb)
      on conflict do nothing`.execute(trx);
  return rows.length;
}

async function endAll(trx: Kysely<Tables>, nowUs: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update alerts a set due_us = ${nowUs}, ending = a.opening || jsonb_build_object('CheckResult', null, 'Recovered', true, 'At', ${nowUs}::bigint),
      state = a.state || jsonb_build_object('phase', 'ended', 'phaseSinceUs', ${nowUs}::bigint)
    where a.closed_us is null and a.kind = 'clock.wrong' and a.state ->> 'phase' <> 'ended'`.execute(trx);
  return Number(numAffectedRows ?? 0);
}

async function resumeEnded(trx: Kysely<Tables>, nowUs: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update alerts a set due_us = ${nowUs}, ending = null,
      state = a.state || jsonb_build_object('phase', 'active', 'phaseSinceUs', ${nowUs}::bigint)
    where a.closed_us is null and a.kind = 'clock.wrong' and a.state ->> 'phase' = 'ended'`.execute(trx);
  return Number(numAffectedRows ?? 0);
}
