import type { BaseStatus } from '@vantage/domain';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { DueAlert } from './due-store.ts';

/** The device of an alert with its master, as the database has them now. Times are microseconds. */
export interface SubjectRow {
  readonly alertNo: number;
  readonly method: string;
  readonly url: string;
  readonly shortName: string;
  readonly fullName: string | null;
  readonly severity: string;
  readonly enabled: boolean;
  readonly status: BaseStatus;
  readonly sinceUs: number;
  readonly isChecked: boolean;
  readonly isPartial: boolean;
  readonly maintenanceUntilUs: number | null;
  readonly maintenanceEndedUs: number | null;
  readonly canBeChecked: boolean;
  readonly revision: number;
  readonly timeoutS: number;
  readonly retries: number;
  readonly retryDelayS: number;
  readonly masterNo: number | null;
  readonly masterId: string | null;
  readonly masterName: string;
  readonly masterEnabled: boolean;
  readonly masterStatus: BaseStatus;
  readonly masterRetrying: boolean;
  readonly masterInMaintenance: boolean;
  readonly masterIsCheckedHere: boolean;
  readonly masterCanBeChecked: boolean;
  readonly masterWasDown: boolean;
  readonly masterRevision: number;
  readonly masterTimeoutS: number;
  readonly masterRetries: number;
  readonly masterRetryDelayS: number;
}

/** The devices of these alerts, by alert. A deleted device is left out. */
export async function subjectsOf(
  trx: Kysely<Tables>,
  alerts: readonly DueAlert[],
  nowUs: number,
): Promise<Map<number, SubjectRow>> {
  const alertNos = alerts.flatMap(({ alert_no, device_no }) => (device_no === null ? [] : [alert_no]));
  if (alertNos.length === 0) return new Map();
  const inMaintenance = (device: 'd' | 'm') => sql`exists (select 1 from maintenance_windows w
    where w.device_no = ${sql.ref(`${device}.device_no`)} and w.from_us <= ${nowUs}::bigint and w.to_us > ${nowUs}::bigint)`;
  const { rows } = await sql<SubjectRow>`
    select a.alert_no as "alertNo", d.method, d.url, d.short_name as "shortName", d.full_name as "fullName", d.severity,
      d.enabled, coalesce(s.status, 'Unknown') as status, coalesce(s.since_us, d.created_us) as "sinceUs",
      d.revision, d.timeout_s as "timeoutS", d.retries, d.retry_delay_s as "retryDelayS",
      exists (select 1 from device_locations dl join locations l using (location_no)
        where dl.device_no = d.device_no and l.online) or d.method = 'Push' as "isChecked",
      coalesce(jsonb_path_exists(s.state, '$.partial.sequences ? (@ >= 3)', silent => true), false) as "isPartial",
      case when ${inMaintenance('d')} then (select max(w.to_us) from maintenance_windows w
        where w.device_no = d.device_no and w.from_us <= ${nowUs}::bigint) end as "maintenanceUntilUs",
      (select max(w.to_us) from maintenance_windows w
        where w.device_no = d.device_no and w.to_us <= ${nowUs}::bigint) as "maintenanceEndedUs",
      exists (select 1 from assignment_spans p join agents g on g.location_no = p.location_no
        where p.device_no = d.device_no and p.to_us is null and g.state = 'Connected') as "canBeChecked",
      m.device_no as "masterNo", m.device_id as "masterId", coalesce(m.short_name, '') as "masterName",
      coalesce(m.enabled, false) as "masterEnabled", coalesce(ms.status, 'Unknown') as "masterStatus",
      coalesce(ms.retrying, false) as "masterRetrying", ${inMaintenance('m')} as "masterInMaintenance",
      exists (select 1 from device_locations dl where dl.device_no = m.device_no and dl.location_no = a.location_no)
        as "masterIsCheckedHere",
      exists (select 1 from agents g where g.location_no = a.location_no and g.state = 'Connected')
        as "masterCanBeChecked",
      exists (select 1 from status_intervals i where i.device_no = m.device_no and i.status = 'Down'
        and coalesce((select min(n.from_us) from status_intervals n
          where n.device_no = i.device_no and n.from_us > i.from_us), ${Number.MAX_SAFE_INTEGER}::bigint)
          >= (a.state ->> 'judgedFromUs')::bigint) as "masterWasDown",
      coalesce(m.revision, 0) as "masterRevision", coalesce(m.timeout_s, 0) as "masterTimeoutS",
      coalesce(m.retries, 0) as "masterRetries", coalesce(m.retry_delay_s, 0) as "masterRetryDelayS"
    from alerts a join devices d on d.device_no = a.device_no
      left join device_state s on s.device_no = d.device_no
      left join devices m on m.device_no = d.master_no
      left join device_state ms on ms.device_no = m.device_no
    where a.alert_no = any(${alertNos}::bigint[])`.execute(trx);
  return new Map(rows.map((row) => [row.alertNo, row]));
}

/** These Locations, by number; also deleted ones. */
export async function locationsOf(
  trx: Kysely<Tables>,
  locationNos: readonly number[],
): Promise<Map<number, { readonly name: string; readonly isDeleted: boolean }>> {
  if (locationNos.length === 0) return new Map();
  const rows = await trx
    .selectFrom('locations')
    .select(['location_no', 'name', 'deleted_at'])
    .where(sql<boolean>`location_no = any(${locationNos}::int[])`)
    .execute();
  return new Map(
    rows.map((row) => [row.location_no, { name: row.name, isDeleted: row.deleted_at !== null }]),
  );
}
