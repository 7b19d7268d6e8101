import { newState, storable } from '@vantage/health';
import type { Kysely } from 'kysely';
import type { Tables } from '../../db/index.ts';
import type { PlainSettings, References } from './settings.ts';
import type { ResolvedTarget } from './target.ts';

/** Everything of a device that its owner sets. */
export interface DeviceSettings {
  readonly plain: PlainSettings;
  readonly target: ResolvedTarget;
  readonly references: References;
  readonly warnings: readonly string[];
}

/** Columns of the settings; `sealed` is URL and Options with their secrets. */
function columns({ plain, target, references, warnings }: DeviceSettings, sealed: Uint8Array) {
  return {
    url: target.shownUrl,
    options: JSON.stringify(target.shownOptions),
    sealed,
    short_name: plain.shortName,
    full_name: plain.fullName,
    frequency_min: plain.frequencyMin,
    timeout_s: plain.timeoutS,
    retries: plain.retries,
    retry_delay_s: plain.retryDelayS,
    nschedule_no: references.nscheduleNo,
    mschedule_no: references.mscheduleNo,
    master_no: references.masterNo,
    locations_given: references.locationsGiven,
    warnings: [...warnings],
  };
}

/** Writes a new device, its Locations and the state in which nobody has looked at it yet. Returns its number. */
export async function insertDevice(
  trx: Kysely<Tables>,
  device: {
    readonly deviceId: string;
    readonly accountNo: number;
    readonly method: string;
    readonly settings: DeviceSettings;
    readonly sealed: Uint8Array;
    readonly nowUs: number;
  },
): Promise<number> {
  const { nowUs } = device;
  const { device_no } = await trx
    .insertInto('devices')
    .values({
      ...columns(device.settings, device.sealed),
      device_id: device.deviceId,
      account_no: device.accountNo,
      method: device.method,
      changed_us: nowUs,
      created_us: nowUs,
      updated_us: nowUs,
    })
    .returning('device_no')
    .executeTakeFirstOrThrow();
  await replaceLocations(trx, device_no, device.settings.references);
  await trx
    .insertInto('device_state')
    .values({ device_no, since_us: nowUs, state: JSON.stringify(storable(newState(nowUs))) })
    .execute();
  return device_no;
}

/** What a change means for agents: nothing, new settings, a new rhythm or place, or a new target. */
export type ChangeReach = 'none' | 'settings' | 'schedule' | 'target';

/** Writes changed settings. A new target makes results under older settings history; a new rhythm or place means a look at once. */
export async function updateDevice(
  trx: Kysely<Tables>,
  change: {
    readonly deviceNo: number;
    readonly settings: DeviceSettings;
    readonly sealed: Uint8Array;
    readonly reach: ChangeReach;
    readonly newLocations: boolean;
    readonly nowUs: number;
  },
): Promise<void> {
  const { reach, nowUs } = change;
  await trx
    .updateTable('devices')
    .set((set) => ({
      ...columns(change.settings, change.sealed),
      updated_us: nowUs,
      ...(reach === 'none' ? {} : { revision: set('revision', '+', 1) }),
      ...(reach === 'target' ? { target_revision: set('revision', '+', 1) } : {}),
      ...(reach === 'target' || reach === 'schedule' ? { changed_us: nowUs } : {}),
    }))
    .where('device_no', '=', change.deviceNo)
    .execute();
  if (change.newLocations) await replaceLocations(trx, change.deviceNo, change.settings.references);
}

async function replaceLocations(
  trx: Kysely<Tables>,
  deviceNo: number,
  { locations }: References,
): Promise<void> {
  await trx.deleteFrom('device_locations').where('device_no', '=', deviceNo).execute();
  if (locations.length === 0) return;
  await trx
    .insertInto('device_locations')
    .values(
      locations.map(({ location_no }, rotation_index) => ({
        device_no: deviceNo,
        location_no,
        rotation_index,
      })),
    )
    .execute();
}

/** Deletes a device with everything that refers to it. The retention drops its raw checks. */
export async function deleteDevice(trx: Kysely<Tables>, deviceNo: number): Promise<void> {
  await trx.deleteFrom('devices').where('device_no', '=', deviceNo).execute();
}

/** The devices that have this one as their master. */
export async function dependentsOf(
  trx: Kysely<Tables>,
  deviceNo: number,
): Promise<readonly { readonly device_id: string; readonly short_name: string }[]> {
  return trx
    .selectFrom('devices')
    .select(['device_id', 'short_name'])
    .where('master_no', '=', deviceNo)
    .orderBy('device_no')
    .limit(100)
    .execute();
}

/** Numbers of the Locations that check a device. */
export async function locationNosOf(trx: Kysely<Tables>, deviceNo: number): Promise<readonly number[]> {
  const rows = await trx
    .selectFrom('device_locations')
    .select('location_no')
    .where('device_no', '=', deviceNo)
    .execute();
  return rows.map(({ location_no }) => location_no);
}
