import { newState, storable } from '@vantage/health';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';

/**
 * Stores the states of new devices, whose rows and Locations are written: their status is Unknown since `nowUs`,
 * because no check has run yet.
 */
export async function insertStates(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
  nowUs: number,
): Promise<void> {
  await sql`
    insert into device_state (device_no, account_no, location_nos, frequency_min, since_us, state)
    select device_no, account_no,
      array(select l.location_no from device_locations l where l.device_no = d.device_no order by 1),
      case when enabled then interval_min(frequency_s, frequency_min) else 0 end, ${nowUs}::bigint, ${JSON.stringify(storable(newState(nowUs)))}::jsonb
    from devices d where device_no = any(${deviceNos}::int[]) order by device_no`.execute(trx);
}
