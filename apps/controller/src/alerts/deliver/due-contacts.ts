import { declareShare } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { isFree, wasAttempted } from './notification-lease.ts';
import { hostOf, readDueReceivers, type TakenSlots } from './sending/due-receivers.ts';
import type { Due } from './sending/slots.ts';

declareShare({
  name: 'contacts_with_notifications',
  limit: '128 attempts at one time; 64 to slow receivers, 32 to failing ones',
  filledBy: 'accounts',
  share: '32 an account, 64 a host, 4 a contact; slow 16, 32, 4; failing 8, 16, 1; accounts take turns',
});

/** A contact that has notifications which are due. */
export interface DueContact extends Due {
  readonly contactNo: number;
}

/**
 * Reads contacts with notifications that are due and not leased. The statement goes from contact to contact by the
 * index, so that it costs the same however many notifications wait for one of them.
 */
export async function dueContacts(
  db: Kysely<Tables>,
  { nowUs, taken, limit }: { readonly nowUs: number; readonly taken: TakenSlots; readonly limit: number },
): Promise<readonly DueContact[]> {
  const next = (after: ReturnType<typeof sql.ref>) => sql`(
    select n.contact_no from notifications n where n.state = 'Pending' and n.leader_no is null and n.contact_no > ${after}
    order by n.contact_no limit 1)`;
  const first = (attempted: number) => sql`(
    select n.account_no, n.due_us from notifications n
    where n.state = 'Pending' and n.leader_no is null and n.contact_no = w.contact_no and ${wasAttempted} = ${sql.lit(attempted)}
      and n.due_us <= ${nowUs} and ${isFree}
    order by n.due_us limit 1)`;
  const tables = sql`start as (select 0 as contact_no), waiting as (
      select ${next(sql.ref('start.contact_no'))} as contact_no from start
      union all select ${next(sql.ref('w.contact_no'))} from waiting w where w.contact_no is not null),
    due as (
      select w.contact_no, 'contact ' || w.contact_no as receiver, first.account_no, first.due_us,
        coalesce(h.failures > 0, false) as failing, ${hostOf(sql.ref('c.address'), sql.ref('c.type'))} as host
      from waiting w
        cross join lateral (
          select account_no, due_us from (${first(0)} union all ${first(1)}) either order by due_us limit 1) first
        left join contact_health h on h.contact_no = w.contact_no
        left join contacts c on c.contact_no = w.contact_no)`;
  return readDueReceivers(db, { tables, keys: sql`contact_no as "contactNo"`, taken, limit });
}
