import { installationKinds, newAlertState } from '@vantage/alerts';
import { declareShare, newId } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

declareShare({
  name: 'alerts_of_the_installation',
  limit: '100 in a round',
  filledBy: 'the controller',
  share: 'one of each kind an account',
});

/** At most this many alerts open in one transaction. */
const atOnce = 100;

/** Problems that controllers found within the last minutes. */
const seen = sql`installation_problems p where p.ends_us > (extract(epoch from clock_timestamp()) * 1e6)::bigint`;

/** Kinds of alerts about the installation; an index permits one open alert of each for an account. */
const ofInstallation = sql`a.kind = any(${[...installationKinds]}::text[])`;

/*
 * The alerts about the installation, of each account. Facts are the rows of `installation_problems` of a kind:
 *
 *   alert | controllers                         | alert then
 *   none  | one finds a problem                 | opens (severity warning)
 *   open  | none does                           | ends: the notified contacts get a message
 *   ended | one does before its end was decided | is open again: no message about an end
 *
 * A row with `account_nos` is a fact for these accounts only.
 *
 * Any number of controllers may do this, and find the same problem.
 */

/** Whether a problem concerns this account. */
const concerns = (accountNo: string) =>
  sql`(p.account_nos is null or ${sql.ref(accountNo)} = any(p.account_nos))`;

/** Opens and ends alerts about the installation. Returns the number of changed alerts. */
export async function decideInstallation(trx: Kysely<Tables>, nowUs: number): Promise<number> {
  const ended = await endOver(trx, nowUs);
  const { rows } = await sql`select from ${seen} limit 1`.execute(trx);
  if (rows.length === 0) return ended;
  return ended + (await resumeEnded(trx, nowUs)) + (await openMissing(trx, nowUs));
}

async function openMissing(trx: Kysely<Tables>, nowUs: number): Promise<number> {
  const { rows } = await sql<{ account_no: number; kind: string; reason: string }>`
    select c.account_no, w.kind, w.reason from accounts c
    cross join lateral (
      select distinct on (p.kind) p.kind, p.reason from ${seen} and ${concerns('c.account_no')}
      order by p.kind, p.controller_id) w
    where not exists (
      select from alerts a where a.account_no = c.account_no and a.closed_us is null and a.kind = w.kind)
    order by c.account_no limit ${atOnce}`.execute(trx);
  for (const { account_no, kind, reason } of rows) {
    const state = JSON.stringify({ ...newAlertState('active', nowUs), activeUs: nowUs, note: reason });
    const facts = JSON.stringify({ Name: 'the controller', CheckResult: reason });
    await sql`
      insert into alerts (alert_id, account_no, kind, severity, opened_us, since_us, state, due_us, reason, opening)
      values (${newId()}, ${account_no}, ${kind}, 'warning', ${nowUs}, ${nowUs}, ${state}::jsonb, ${nowUs},
        ${reason}, ${facts}::jsonb)
      on conflict do nothing`.execute(trx);
  }
  return rows.length;
}

async function endOver(trx: Kysely<Tables>, nowUs: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update alerts a set due_us = ${nowUs}, ending = a.opening || jsonb_build_object('CheckResult', null, 'Recovered', true, 'At', ${nowUs}::bigint),
      state = a.state || jsonb_build_object('phase', 'ended', 'phaseSinceUs', ${nowUs}::bigint)
    where a.closed_us is null and ${ofInstallation} and a.state ->> 'phase' <> 'ended'
      and not exists (select from ${seen} and p.kind = a.kind and ${concerns('a.account_no')})`.execute(trx);
  return Number(numAffectedRows ?? 0);
}

async function resumeEnded(trx: Kysely<Tables>, nowUs: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update alerts a set due_us = ${nowUs}, ending = null,
      state = a.state || jsonb_build_object('phase', 'active', 'phaseSinceUs', ${nowUs}::bigint)
    where a.closed_us is null and ${ofInstallation} and a.state ->> 'phase' = 'ended'
      and exists (select from ${seen} and p.kind = a.kind and ${concerns('a.account_no')})`.execute(trx);
  return Number(numAffectedRows ?? 0);
}
