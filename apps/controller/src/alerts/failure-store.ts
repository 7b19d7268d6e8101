import type { AlertKind, AlertState, Facts } from '@vantage/alerts';
import { newId } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../db/index.ts';

/** The alert and the contact of a notification that failed. */
export interface AlertOfFailure {
  readonly deviceNo: number | null;
  readonly locationNo: number | null;
  readonly kind: string;
  readonly contactId: string;
  readonly contactName: string;
}

/** What a failed notification was about. A deleted device or contact is not named. */
export async function failureOf(
  trx: Kysely<Tables>,
  { alertNo, contactNo }: { readonly alertNo: number | null; readonly contactNo: number },
): Promise<AlertOfFailure> {
  const { rows } = await sql<AlertOfFailure>`
    select d.device_no as "deviceNo", a.location_no as "locationNo", coalesce(a.kind, 'test') as kind,
      coalesce(c.contact_id, '') as "contactId", coalesce(c.name, 'deleted') as "contactName"
    from (select 1) one left join alerts a on a.alert_no = ${alertNo}::bigint
      left join devices d on d.device_no = a.device_no left join contacts c on c.contact_no = ${contactNo}::int`.execute(
    trx,
  );
  const [row] = rows;
  return row ?? { deviceNo: null, locationNo: null, kind: 'test', contactId: '', contactName: 'deleted' };
}

/** Whether an alert reported this contact as failing since then. */
export async function hasRecentFailure(
  trx: Kysely<Tables>,
  {
    accountNo,
    contactId,
    sinceUs,
  }: {
    readonly accountNo: number;
    readonly contactId: string;
    readonly sinceUs: number;
  },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from alerts where account_no = ${accountNo} and kind = 'contact.failing' and opened_us > ${sinceUs}::bigint
      and opening ->> 'contact_id' = ${contactId} limit 1`.execute(trx);
  return rows.length > 0;
}

/** Inserts an alert about one moment of the account, closed at once. */
export async function closedMoment(
  trx: Kysely<Tables>,
  {
    accountNo,
    kind,
    state,
    opening,
    reason,
    nowUs,
  }: {
    readonly accountNo: number;
    readonly kind: AlertKind;
    readonly state: AlertState;
    readonly opening: Facts;
    readonly reason: string;
    readonly nowUs: number;
  },
): Promise<{ readonly alertNo: number; readonly alertId: string }> {
  const alertId = newId();
  const { alert_no } = await trx
    .insertInto('alerts')
    .values({
      ...{
        alert_id: alertId,
        account_no: accountNo,
        kind,
        severity: 'critical',
        opened_us: nowUs,
        since_us: nowUs,
      },
      ...{ closed_us: nowUs, state: JSON.stringify(state), opening: JSON.stringify(opening), reason },
    })
    .returning('alert_no')
    .executeTakeFirstOrThrow();
  return { alertNo: alert_no, alertId };
}

/** The account's contacts besides this one that want messages of this kind. */
export async function otherContacts(
  trx: Kysely<Tables>,
  {
    accountNo,
    contactNo,
    kind,
  }: {
    readonly accountNo: number;
    readonly contactNo: number;
    readonly kind: AlertKind;
  },
): Promise<readonly number[]> {
  const rows = await trx
    .selectFrom('contacts')
    .select('contact_no')
    .where('account_no', '=', accountNo)
    .where('contact_no', '<>', contactNo)
    .where(sql<boolean>`(notify is null or ${kind} = any(notify))`)
    .orderBy('contact_no')
    .execute();
  return rows.map((row) => row.contact_no);
}
