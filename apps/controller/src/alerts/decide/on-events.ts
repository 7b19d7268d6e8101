import { type AlertKind, endKindOf } from '@vantage/alerts';
import { pipelined, type Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import type { OnAlertingEvents, RecordEvents } from '../../results/events/record-events.ts';
import type { WithdrawEnds } from '../deliver/withdraw.ts';
import { orderKeyOf } from './alert-messages.ts';
import { applyChanges } from './apply-changes.ts';
import { lockAlerts, lockOpenAlerts, openAlerts, touchDependents, writeAlerts } from './change-store.ts';
import { changedDevices } from './changed-device-store.ts';
import { type AlertChange, changesOf } from './changes.ts';
import { alertKey, type ChangedDevice, type OpenAlert } from './open-alert.ts';

const warnings: ReadonlySet<AlertChange['kind']> = new Set([
  'partial',
  'slow',
  'fast',
  'certificate',
  'interface-down',
  'interface-up',
]);

/** Whether it is a warning: no alert of a dependent waits for one. */
function isWarning({ kind }: AlertChange): boolean {
  return warnings.has(kind);
}

/**
 * Creates the function that opens and ends alerts in the transaction of the events that cause it. Alerts are decided
 * after its commit, so that a slow decision delays no result. `flappingWindowUs`: outages that ended within it count
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
}): OnAlertingEvents {
  return async (trx, causes, nowUs) => {
    const changes = changesOf(causes, nowUs);
    if (changes.length === 0) return;
    const deviceNos = [
      ...new Set(changes.flatMap((change) => ('deviceNo' in change ? [change.deviceNo] : []))),
    ];
    const locationNos = changes.flatMap((change) =>
      'locationNo' in change ? (change.locationNo ?? []) : [],
    );
    const [devices, rows] = await pipelined(trx, (pipe) => [
      changedDevices(pipe, deviceNos, nowUs, flappingWindowUs),
      lockOpenAlerts(pipe, { deviceNos, locationNos }),
    ]);
    const present = openAlerts(rows, devices, nowUs);
    const opened = { changes, open: present, devices, nowUs };
    const open = [...present, ...(await alertsToReopen(trx, opened, withdrawEnds))];
    const applied = applyChanges(changes, { devices, open, flappingWindowUs, nowUs });
    const concerned = changes.flatMap((change) =>
      isWarning(change) || !('deviceNo' in change) ? [] : [change.deviceNo],
    );
    await pipelined(trx, (pipe) => [
      writeAlerts(pipe, applied.alerts, nowUs),
      touchDependents(pipe, concerned, nowUs),
      recordEvents(pipe, applied.events, nowUs),
    ]);
  };
}

const openedBy: Partial<Record<AlertChange['kind'], AlertKind>> = {
  down: 'device.down',
  'maintenance-over': 'device.down',
  partial: 'device.partial',
  slow: 'device.slow',
  offline: 'location.offline',
  'anchor-down': 'anchor.down',
};

/** The alerts that these changes open, each once. */
function openings(changes: readonly AlertChange[]) {
  return changes.flatMap((change) => {
    const kind = openedBy[change.kind];
    if (kind === undefined) return [];
    const deviceNo = 'deviceNo' in change ? change.deviceNo : null;
    const locationNo = deviceNo === null && 'locationNo' in change ? change.locationNo : null;
    const opening = 'facts' in change ? change.facts : {};
    const key = alertKey({ kind, device: deviceNo === null ? null : { deviceNo }, locationNo, opening });
    const target = kind === 'anchor.down' ? opening['Target'] : null;
    return [{ kind, key, deviceNo, locationNo, target: typeof target === 'string' ? target : null }];
  });
}

/**
 * Closed alerts of whose end some contacts were not notified, where these changes open the same alert again. `notified`
 * has these contacts. `open`: the alerts that are open already; none of them is reopened.
 */
async function alertsToReopen(
  trx: Kysely<Tables>,
  {
    changes,
    open,
    devices,
    nowUs,
  }: {
    readonly changes: readonly AlertChange[];
    readonly open: readonly OpenAlert[];
    readonly devices: ReadonlyMap<number, ChangedDevice>;
    readonly nowUs: number;
  },
  withdrawEnds: WithdrawEnds,
): Promise<OpenAlert[]> {
  const known = new Set(open.map((alert) => alertKey(alert)));
  const asks = openings(changes).flatMap(({ kind, key, deviceNo, locationNo, target }) => {
    const endKind = endKindOf(kind);
    if (known.has(key) || endKind === undefined) return [];
    known.add(key);
    const orderKey = orderKeyOf({ device_no: deviceNo, location_no: locationNo, account_no: 0 });
    return [{ orderKey, alertKind: kind, endKind, target }];
  });
  if (asks.length === 0) return [];
  const withdrawn = await withdrawEnds(trx, asks, nowUs);
  const unaware = new Map(withdrawn.map(({ alertNo, contactIds }) => [alertNo, contactIds]));
  if (unaware.size === 0) return [];
  const rows = await lockAlerts(trx, [...unaware.keys()]);
  return openAlerts(rows, devices, nowUs)
    .filter((alert) => alert.state.phase === 'ended')
    .map((alert) => ({
      ...alert,
      state: { ...alert.state, notified: unaware.get(alert.alertNo ?? 0) ?? [] },
    }));
}
