import { announcedStatus, newState } from '@vantage/health';
import type { Logger } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { realTime } from '../config/time-scale.ts';
import { lockDevices, type Tables } from '../db/index.ts';
import type { RecordEvents } from './event-causes.ts';
import { replaceState } from './fold-store.ts';
import { readDevices } from './rebuild-state.ts';
import { createTimes } from './times.ts';

/** The device that is paused. */
interface PausedDevice {
  readonly accountNo: number;
  readonly deviceNo: number;
  readonly deviceName: string;
}

/** Ends what the results of a device began, in the transaction that pauses it. */
type PauseDevice = (trx: Kysely<Tables>, device: PausedDevice, nowUs: number) => Promise<void>;

/**
 * Creates the function that pauses a device. The event `Unknown` says that the status ended; the device goes on as a
 * new one later.
 *
 *   before the pause            | the pause                                            | events
 *   Up                          | Unknown                                              | Unknown, Changed
 *   Up or Unknown, C open       | Unknown; C and its open retries are withdrawn        | as without C
 *   Down, or Unknown after Down | Unknown; the outage ends at the pause                | Unknown (where Down was announced), Changed
 *   Unknown                     | Unknown goes on                                      | Changed
 *   in maintenance              | as above; users see Maint until the window ends      | as above
 *
 *   while it is paused          | effect
 *   a result, also of a check that was requested | stored; changes no status (the fold gets a target revision that no result reaches)
 *   enabled again               | a new target revision: older results change nothing; checked at once; Unknown until the first answer
 */
export function createPauseDevice({
  log,
  recordEvents,
  withdrawRetries,
}: {
  readonly log: Logger;
  readonly recordEvents: RecordEvents;
  readonly withdrawRetries: (trx: Kysely<Tables>, deviceNos: readonly number[]) => Promise<void>;
}): PauseDevice {
  const times = createTimes(realTime);
  return async (trx, { accountNo, deviceNo, deviceName }, nowUs) => {
    await lockDevices(trx, [deviceNo]);
    await withdrawRetries(trx, [deviceNo]);
    const state = (await readDevices(trx, [deviceNo], { times, log })).get(deviceNo)?.state;
    if (state === undefined) return;
    // One microsecond of Up stands before the Unknown: an outage lasts to the next Up.
    const endUs = Math.max(nowUs, state.sinceUs + 1);
    const sinceUs = endUs + 1;
    if (state.status === 'Down' || state.before === 'Down') await writeInterval(trx, deviceNo, endUs, 'Up');
    if (state.status !== 'Unknown' || state.before !== null)
      await writeInterval(trx, deviceNo, sinceUs, 'Unknown');
    const isKnown = state.status !== 'Unknown';
    const paused = { ...newState(isKnown ? sinceUs : state.sinceUs), at: state.at };
    await replaceState(trx, deviceNo, paused);
    if (announcedStatus(state) === 'Unknown' || announcedStatus(state) === null) return;
    const endedS = Math.floor((nowUs - state.sinceUs) / 1_000_000);
    await recordEvents(trx, [{ kind: 'device-paused', accountNo, deviceNo, deviceName, endedS }], nowUs);
  };
}

async function writeInterval(
  trx: Kysely<Tables>,
  deviceNo: number,
  fromUs: number,
  status: 'Up' | 'Unknown',
): Promise<void> {
  await sql`
    insert into status_intervals (device_no, from_us, status) values (${deviceNo}, ${fromUs}::bigint, ${status})
    on conflict (device_no, from_us) do update set status = excluded.status`.execute(trx);
}
