import { pipelined } from '../../platform/db/index.ts';
import type { RecordEvents } from '../../status/events/index.ts';
import { applyChanges } from './apply-changes.ts';
import { changedDevices, lockOpenAlerts, openAlerts, touchDependents, writeAlerts } from './change-store.ts';
import { type AlertChange, changesOf } from './changes.ts';
import { unsaidEnds, type WithdrawEnds } from './unsaid-ends.ts';

/** Nothing that the alert of a dependent waits for. */
function isWarning({ kind }: AlertChange): boolean {
  return kind === 'partial' || kind === 'slow' || kind === 'fast' || kind === 'certificate';
}

/**
 * Creates the function that opens and ends alerts in the transaction of the events that cause it. Alerts are decided
 * after its commit, therefore a slow decision delays no result. `flappingWindowUs`: outages that ended within it count
 * as flapping.
 */
export function createOnEvents({
  recordEvents,
  withdrawEnds,
  flappingWindowUs,
}: {
  readonly recordEvents: RecordEvents;
  readonly withdrawEnds: WithdrawEnds;
  readonly flappingWindowUs: number;
}): RecordEvents {
  return async (trx, causes, nowUs) => {
    const changes = changesOf(causes, nowUs);
    if (changes.length === 0) return;
    const deviceNos = [...new Set(changes.flatMap((one) => ('deviceNo' in one ? [one.deviceNo] : [])))];
    const locationNos = changes.flatMap((one) => ('locationNo' in one ? (one.locationNo ?? []) : []));
    const [devices, rows] = await pipelined(trx, (pipe) => [
      changedDevices(pipe, deviceNos, nowUs, flappingWindowUs),
      lockOpenAlerts(pipe, { deviceNos, locationNos }),
    ]);
    const present = openAlerts(rows, devices, nowUs);
    const about = { changes, open: present, devices, nowUs };
    const open = [...present, ...(await unsaidEnds(trx, about, withdrawEnds))];
    const applied = applyChanges(changes, { devices, open, flappingWindowUs, nowUs });
    const concerned = changes.flatMap((one) =>
      isWarning(one) || !('deviceNo' in one) ? [] : [one.deviceNo],
    );
    await pipelined(trx, (pipe) => [
      writeAlerts(pipe, applied.alerts, nowUs),
      touchDependents(pipe, concerned, nowUs),
      recordEvents(pipe, applied.events, nowUs),
    ]);
  };
}
