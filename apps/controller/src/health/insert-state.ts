import { newState, storable } from '@vantage/health';
import type { Kysely } from 'kysely';
import type { Tables } from '../db/index.ts';

/** Stores the state of a new device: its status is Unknown since `nowUs`, because no check has run yet. */
export async function insertState(trx: Kysely<Tables>, deviceNo: number, nowUs: number): Promise<void> {
  await trx
    .insertInto('device_state')
    .values({ device_no: deviceNo, since_us: nowUs, state: JSON.stringify(storable(newState(nowUs))) })
    .execute();
}
