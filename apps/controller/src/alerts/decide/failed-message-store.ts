import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** The alert and the contact of a notification that failed. */
export interface AlertOfFailure {
  readonly deviceNo: number | null;
  readonly locationNo: number | null;
  readonly kind: string;
  readonly opening: unknown;
  readonly contactId: string;
  readonly contactName: string;
}

/** The subject of a failed notification. A deleted device or contact is not named. */
export async function failureOf(
  trx: Kysely<Tables>,
  { alertNo, contactNo }: { readonly alertNo: number | null; readonly contactNo: number },
): Promise<AlertOfFailure> {
  const { rows } = await sql<AlertOfFailure>`
    select d.device_no as "deviceNo", a.location_no as "locationNo", coalesce(a.kind, 'test') as kind, a.opening,
      coalesce(c.contact_id, '') as "contactId", coalesce(c.name, 'deleted') as "contactName"
    from (select 1) one left join alerts a on a.alert_no = ${alertNo}::bigint
      left join devices d on d.device_no = a.device_no left join contacts c on c.contact_no = ${contactNo}::int`.execute(
    trx,
  );
  const [row] = rows;
  return (
    row ?? {
      deviceNo: null,
      locationNo: null,
      kind: 'test',
      opening: null,
      contactId: '',
      contactName: 'deleted',
    }
  );
}

/** A message that could not be delivered. */
interface FailedMessage {
  readonly notification_no: number;
  readonly order_key: string;
  readonly kind: string;
  readonly severity: string;
  readonly data: unknown;
  readonly at_us: number;
}

/** These notifications, oldest first. */
export async function failedMessages(
  trx: Kysely<Tables>,
  notificationNos: readonly number[],
): Promise<readonly FailedMessage[]> {
  const { rows } = await sql<FailedMessage>`
    select notification_no, order_key, kind, severity, data, at_us from notifications
    where notification_no = any(${notificationNos}::bigint[]) order by notification_no`.execute(trx);
  return rows;
}

/**
 * The contacts that have this message of the alert or a later one of `kinds`, and the contacts that refused one of its
 * own kind. A contact in shadow was not notified.
 */
export async function receiversOf(
  trx: Kysely<Tables>,
  alertNo: number,
  { kind, at_us: atUs }: FailedMessage,
  kinds: readonly string[],
): Promise<{ readonly having: ReadonlySet<string>; readonly refusing: ReadonlySet<string> }> {
  const { rows } = await sql<{ contact_id: string; kind: string; state: string }>`
    select c.contact_id, n.kind, n.state from notifications n join contacts c using (contact_no)
    where n.alert_no = ${alertNo} and n.kind = any(${[...kinds]}::text[]) and n.at_us >= ${atUs}`.execute(
    trx,
  );
  const idsOf = (some: typeof rows, ...states: string[]) =>
    new Set(some.filter(({ state }) => states.includes(state)).map((row) => row.contact_id));
  return {
    having: idsOf(rows, 'Pending', 'Delivered'),
    refusing: idsOf(
      rows.filter((row) => row.kind === kind),
      'Failed',
      'Shadow',
    ),
  };
}

/** Adds contacts that get the message of the alert's end. Call it while the alert is locked. */
export async function addNotified(
  trx: Kysely<Tables>,
  alertNo: number,
  contactIds: readonly string[],
): Promise<void> {
  if (contactIds.length === 0) return;
  await sql`
    update alerts set state = jsonb_set(state, '{notified}', (
      select coalesce(jsonb_agg(distinct g.id), '[]') from (
        select jsonb_array_elements_text(state -> 'notified') union select unnest(${contactIds}::text[])) g (id)))
    where alert_no = ${alertNo} and closed_us is null`.execute(trx);
}

export async function setReason(trx: Kysely<Tables>, alertNo: number, reason: string): Promise<void> {
  await trx.updateTable('alerts').set({ reason }).where('alert_no', '=', alertNo).execute();
}
