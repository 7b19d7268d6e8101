import { secondUs } from '@vantage/domain';
import { announcedStatus, type FoldState, newState } from '@vantage/health';
import type { Logger } from '@vantage/kernel';
import { lockDevices, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { realTime } from '../../config/time-scale.ts';
import type { RecordEvents } from '../events/record-events.ts';
import { readDevices } from './rebuild-state.ts';
import { replaceStates } from './replace-states.ts';
import { createTimes } from './times.ts';

/** The device that is paused. */
interface PausedDevice {
  readonly accountNo: number;
  readonly deviceNo: number;
  readonly deviceName: string;
}

/** Ends what the results of these devices began, in the transaction that pauses them. */
type PauseDevices = (trx: Kysely<Tables>, devices: readonly PausedDevice[], nowUs: number) => Promise<void>;

/**
 * Creates the function that pauses devices. The event `Unknown` says that the status ended. Later the device
 * starts like a new one.
 *
 *   before the pause            | the pause                                            | events
 *   Up                          | Unknown                                              | Unknown, Changed
 *   Up or Unknown, C open       | Unknown; C and its open retries are withdrawn        | as without C
 *   Down, or Unknown after Down | Unknown; the outage ends at the pause                | Unknown (where Down was announced), Changed
 *   Unknown                     | Unknown continues                                    | Changed
 *   in maintenance              | as above; users see Maint until the window ends      | as above
 *   an interface is down        | forgotten; its alert is closed                       | as above
 *
 *   while it is paused          | effect
 *   a result, also of a check that was requested | stored; changes no status (the fold gets a target revision that no result reaches)
 *   enabled again               | a new target revision: older results change nothing; checked at once; Unknown until the first answer
 */
export function createPauseDevices({
  log,
  recordEvents,
  withdrawRetries,
}: {
  readonly log: Logger;
  readonly recordEvents: RecordEvents;
  readonly withdrawRetries: (trx: Kysely<Tables>, deviceNos: readonly number[]) => Promise<void>;
}): PauseDevices {
  const times = createTimes(realTime);
  return async (trx, devices, nowUs) => {
    const deviceNos = devices.map(({ deviceNo }) => deviceNo);
    await lockDevices(trx, deviceNos);
    await withdrawRetries(trx, deviceNos);
    const found = await readDevices(trx, deviceNos, { times, log });
    const ends = devices.flatMap((device) => {
      const state = found.get(device.deviceNo)?.state;
      return state === undefined ? [] : [{ device, state, ...endOf(state, nowUs) }];
    });
    await writeIntervals(
      trx,
      ends.flatMap(({ device: { deviceNo }, intervals }) => intervals.map((each) => ({ deviceNo, ...each }))),
    );
    await replaceStates(trx, new Map(ends.map(({ device, paused }) => [device.deviceNo, paused])));
    await forgetInterfaces(trx, deviceNos);
    const announced = ends.filter(({ state }) => ![null, 'Unknown'].includes(announcedStatus(state)));
    const causes = announced.map(({ device, state }) => ({
      kind: 'device-paused' as const,
      ...device,
      endedS: Math.floor((nowUs - state.sinceUs) / secondUs),
    }));
    if (causes.length > 0) await recordEvents(trx, causes, nowUs);
  };
}

/** The intervals that a pause adds to the history of a device in this state, and its state from then on. Pure. */
function endOf(state: FoldState, nowUs: number) {
  // One microsecond of Up stands before the Unknown: an outage lasts to the next Up.
  const endUs = Math.max(nowUs, state.sinceUs + 1);
  const sinceUs = endUs + 1;
  const intervals: { readonly fromUs: number; readonly status: 'Up' | 'Unknown' }[] = [];
  if (state.status === 'Down' || state.before === 'Down') intervals.push({ fromUs: endUs, status: 'Up' });
  if (state.status !== 'Unknown' || state.before !== null)
    intervals.push({ fromUs: sinceUs, status: 'Unknown' });
  const isKnown = state.status !== 'Unknown';
  return { intervals, paused: { ...newState(isKnown ? sinceUs : state.sinceUs), at: state.at } };
}

/** Their alerts are closed. An interface that is still down after the pause is a new problem. */
async function forgetInterfaces(trx: Kysely<Tables>, deviceNos: readonly number[]): Promise<void> {
  await sql`
    update device_state set warnings = warnings - 'network' where device_no = any(${deviceNos}::int[])
      and warnings ? 'network'`.execute(trx);
}

async function writeIntervals(
  trx: Kysely<Tables>,
  rows: readonly { readonly deviceNo: number; readonly fromUs: number; readonly status: 'Up' | 'Unknown' }[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into status_intervals (device_no, from_us, status)
    select * from unnest(${rows.map(({ deviceNo }) => deviceNo)}::int[], ${rows.map(({ fromUs }) => fromUs)}::bigint[],
      ${rows.map(({ status }) => status)}::text[])
    on conflict (device_no, from_us) do update set status = excluded.status`.execute(trx);
}
