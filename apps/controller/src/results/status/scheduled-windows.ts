import { hourUs, type Span } from '@vantage/domain';
import { occurrencesIn } from '@vantage/health';
import { lockDevices, type Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { inTransaction } from './in-transaction.ts';
import * as store from './scheduled-window-store.ts';

/** Windows are created this far ahead, and again when half of that is left. */
const aheadUs = 48 * hourUs;
/** Controllers' clocks differ by less than this. Windows made for longer ahead are those of a clock that was wrong. */
const differUs = hourUs;

/*
 * The windows of a device follow its schedule. A device is refreshed when it gets another schedule, when the settings
 * of its schedule change, and when it has windows for less than 24 hours ahead.
 *
 *   window of the device            | new schedule or settings                       | time goes on
 *   in the past                     | stays                                          | stays
 *   running, also an occurrence now | gets its new end, or ends now if that is past  | stays
 *   running, no longer an occurrence | ends now                                       | stays
 *   running, ended by a user        | stays ended                                    | stays ended
 *   in the future                   | is created again                               | stays
 *   occurrence without a window     | gets one, from now at the earliest             | gets one
 *
 * A clock that was ahead and is right again counts as new settings.
 */

/**
 * Creates the windows of devices whose schedule or its settings changed, and of those that need further ones. Returns
 * the number of such devices; at most 500 at a time. `deviceNo` undefined: all devices.
 */
export async function refreshScheduledWindows(
  kysely: Kysely<Tables>,
  nowUs: number,
  deviceNo?: number,
): Promise<number> {
  const horizon = { fromUs: nowUs + aheadUs / 2, toUs: nowUs + aheadUs + differUs };
  const found = await store.staleDevices(kysely, horizon, deviceNo);
  if (found.length === 0) return 0;
  return inTransaction(kysely, async (trx) => {
    await lockDevices(
      trx,
      found.map((device) => device.deviceNo),
    );
    // Another controller may have been first, or a user may have changed something meanwhile.
    const nos = found.map((device) => device.deviceNo);
    const stale = await store.staleDevices(trx, horizon, nos);
    const groups = Map.groupBy(stale, ({ mscheduleNo }) => mscheduleNo);
    for (const [mscheduleNo, devices] of groups) await refresh(trx, mscheduleNo, devices, nowUs);
    return stale.length;
  });
}

async function refresh(
  trx: Kysely<Tables>,
  mscheduleNo: number | null,
  devices: readonly store.StaleDevice[],
  nowUs: number,
): Promise<void> {
  const [{ schedule } = { schedule: null }] = devices;
  const occurrences = schedule === null ? [] : upcoming(schedule, nowUs);
  const changed = devices.filter(({ isChanged }) => isChanged).map(({ deviceNo }) => deviceNo);
  await store.dropFuture(trx, changed, nowUs);
  await store.adjustRunning(trx, changed, { mscheduleNo, occurrences, nowUs });
  const nos = devices.map(({ deviceNo }) => deviceNo);
  if (mscheduleNo === null || schedule === null) return store.forgetSchedule(trx, nos);
  await store.insertWindows(trx, nos, {
    mscheduleNo,
    occurrences,
    nowUs,
    endOnFirstOk: schedule.endOnFirstOk,
  });
  const { signature } = schedule;
  await store.keepSchedule(trx, nos, { mscheduleNo, signature, untilUs: nowUs + aheadUs });
}

/** The windows that end after now and begin before the horizon. */
function upcoming(schedule: store.WindowSchedule, nowUs: number): readonly Span[] {
  const span = { fromUs: nowUs - schedule.durationUs, toUs: nowUs + aheadUs };
  return occurrencesIn(schedule, span).flatMap(({ window }) =>
    window === undefined || window.toUs <= nowUs ? [] : [window],
  );
}
