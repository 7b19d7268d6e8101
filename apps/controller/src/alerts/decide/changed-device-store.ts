import { flappingWindowUs } from '@vantage/alerts';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { ChangedDevice } from './open-alert.ts';
import { readPast, readSeverity } from './stored-alert-facts.ts';

type ChangedDeviceRow = Omit<ChangedDevice, 'severity' | 'recent'> & {
  readonly severity: string;
  readonly ended: readonly {
    readonly alertNo: number;
    /** Null: only outages before its last one were confirmed. */
    readonly activeUs: number | null;
    readonly sinceUs: number;
    readonly upUs: number;
    readonly past: unknown;
  }[];
};

/** A device with more outages than that within the window flaps in any case. */
const maxRecent = 10;

/** These devices, by number. `windowUs` is the time in which ended outages count as flapping. */
export async function changedDevices(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
  nowUs: number,
  windowUs = flappingWindowUs,
): Promise<Map<number, ChangedDevice>> {
  if (deviceNos.length === 0) return new Map();
  const { rows } = await sql<ChangedDeviceRow>`
    select d.device_no as "deviceNo", d.device_id as "deviceId", d.short_name as "shortName", d.full_name as "fullName", d.severity,
      coalesce((select jsonb_agg(e) from (
        select a.alert_no as "alertNo", a.active_us as "activeUs", a.since_us as "sinceUs",
          coalesce((a.ending ->> 'At')::bigint, a.closed_us, a.since_us) as "upUs",
          a.state -> 'past' as past
        from alerts a where a.device_no = d.device_no and a.kind = 'device.down' and a.ended_up
          and coalesce(a.active_us, a.since_us) > ${nowUs - windowUs}::bigint
        order by a.alert_no desc limit ${maxRecent}) e), '[]') as ended
    from devices d where d.device_no = any(${deviceNos}::int[])`.execute(trx);
  return new Map(
    rows.map(({ ended, severity, ...device }) => [
      device.deviceNo,
      {
        ...device,
        severity: readSeverity(severity),
        recent: ended.flatMap(({ alertNo, activeUs, sinceUs, upUs, past }) =>
          [...readPast(past), ...(activeUs === null ? [] : [{ activeUs, sinceUs, upUs }])].map((outage) => ({
            ...outage,
            alertNo,
          })),
        ),
      },
    ]),
  );
}
