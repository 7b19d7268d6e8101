import { newAlertState } from '@vantage/alerts';
import { declareShare, newId } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

declareShare({
  name: 'contacts_that_fail',
  limit: '100 in a round',
  filledBy: 'accounts',
  share: 'accounts take turns; each contact opens one alert',
});

/** At most this many alerts open in one transaction. */
const atOnce = 100;

interface FailingContact {
  readonly account_no: number;
  readonly contact_id: string;
  readonly name: string;
  readonly since_us: number;
  readonly last_answer: string | null;
}

/*
 * The alert `contact.failing` of one contact. Facts are those of its deliveries:
 *
 *   alert | contact                                                        | alert then
 *   none  | every attempt fails for `afterUs`, or one message failed for good | opens (severity warning)
 *   open  | its latest attempt was accepted, or a test was                  | ends: the notified contacts get a message
 *   ended | it fails again before its end was decided                       | is open again: no message about an end
 *   open  | deleted, or put into shadow                                     | closes without a message
 *
 * One problem is one alert, so that no contact is notified of it twice. Any number of controllers may do this: an index
 * permits one open alert.
 */

/** Opens and ends alerts about contacts. Returns how many changed. */
export async function decideContacts(
  trx: Kysely<Tables>,
  { afterUs, nowUs }: { readonly afterUs: number; readonly nowUs: number },
): Promise<number> {
  const failing = await failingContacts(trx, nowUs - afterUs);
  for (const contact of failing) await open(trx, contact, nowUs);
  const ended = (await closeGone(trx, nowUs)) + (await endRecovered(trx, nowUs));
  return failing.length + ended + (await resumeFailing(trx, nowUs));
}

async function failingContacts(trx: Kysely<Tables>, sinceUs: number): Promise<readonly FailingContact[]> {
  const { rows } = await sql<FailingContact>`
    select c.account_no, c.contact_id, c.name, h.failing_since_us as since_us, h.last_answer
    from contact_health h join contacts c using (contact_no)
    where h.failing_since_us is not null and (h.failing_since_us <= ${sinceUs}::bigint or h.failed_us is not null) and not c.shadow
      and not exists (select from alerts a where a.closed_us is null and a.kind = 'contact.failing'
        and a.opening ->> 'contact_id' = c.contact_id)
    order by row_number() over (partition by c.account_no order by h.failing_since_us, h.contact_no), h.failing_since_us
    limit ${atOnce}`.execute(trx);
  return rows;
}

async function open(trx: Kysely<Tables>, contact: FailingContact, nowUs: number): Promise<void> {
  const reason = contact.last_answer ?? 'no message could be delivered';
  const state = JSON.stringify({ ...newAlertState('active', nowUs), activeUs: nowUs, note: reason });
  const facts = { Contact: contact.name, contact_id: contact.contact_id, CheckResult: reason };
  await sql`
    insert into alerts (alert_id, account_no, kind, severity, opened_us, since_us, state, due_us, reason, opening)
    values (${newId()}, ${contact.account_no}, 'contact.failing', 'warning', ${nowUs}, ${contact.since_us}, ${state}::jsonb, ${nowUs},
      ${reason}, ${JSON.stringify(facts)}::jsonb)
    on conflict do nothing`.execute(trx);
}

async function closeGone(trx: Kysely<Tables>, nowUs: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update alerts a set closed_us = ${nowUs}, due_us = null, reason = 'the contact was deleted, or put into shadow'
    where a.closed_us is null and a.kind = 'contact.failing' and not exists (
      select from contacts c where c.contact_id = a.opening ->> 'contact_id' and not c.shadow)`.execute(trx);
  return Number(numAffectedRows ?? 0);
}

async function endRecovered(trx: Kysely<Tables>, nowUs: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update alerts a set due_us = ${nowUs}, ending = a.opening || jsonb_build_object('CheckResult', null, 'Recovered', true, 'At', ${nowUs}::bigint),
      state = a.state || jsonb_build_object('phase', 'ended', 'phaseSinceUs', ${nowUs}::bigint)
    from contacts c left join contact_health h using (contact_no)
    where a.closed_us is null and a.kind = 'contact.failing' and a.state ->> 'phase' <> 'ended'
      and c.contact_id = a.opening ->> 'contact_id' and h.failing_since_us is null`.execute(trx);
  return Number(numAffectedRows ?? 0);
}

async function resumeFailing(trx: Kysely<Tables>, nowUs: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update alerts a set due_us = ${nowUs}, ending = null,
      state = a.state || jsonb_build_object('phase', 'active', 'phaseSinceUs', ${nowUs}::bigint)
    from contacts c join contact_health h using (contact_no)
    where a.closed_us is null and a.kind = 'contact.failing' and a.state ->> 'phase' = 'ended'
      and c.contact_id = a.opening ->> 'contact_id' and h.failing_since_us is not null`.execute(trx);
  return Number(numAffectedRows ?? 0);
}
