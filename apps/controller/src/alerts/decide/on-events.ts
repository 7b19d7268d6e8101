import { type AlertKind, endKindOf, type MessageKind } from '@vantage/alerts';
import type { Kysely } from 'kysely';
import { pipelined, type Tables } from '../../platform/db/index.ts';
import type { OnAlertingEvents, RecordEvents } from '../../status/events/record-events.ts';
import { applyChanges } from './apply-changes.ts';
import {
  alertKey,
  type ChangedDevice,
  changedDevices,
  lockAlerts,
  lockOpenAlerts,
  type OpenAlert,
  openAlerts,
  touchDependents,
  writeAlerts,
} from './change-store.ts';
import { type AlertChange, changesOf } from './changes.ts';
import { orderKeyOf } from './messages.ts';

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
}): OnAlertingEvents {
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

/**
 * Withdraws messages of an end that nobody tried to send yet, in the transaction of the events, and returns the alerts
 * whose end these contacts did not hear of.
 */
export type WithdrawEnds = (
  trx: Kysely<Tables>,
  asks: readonly {
    readonly orderKey: string;
    readonly alertKind: AlertKind;
    readonly endKind: MessageKind;
    readonly target: string | null;
  }[],
  nowUs: number,
) => Promise<readonly { readonly alertNo: number; readonly contactIds: readonly string[] }[]>;

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
 * Alerts that are closed, but of whose end some contacts did not hear, where these changes open the same again. Those
 * contacts are the ones of `notified`. `open`: the open alerts; they need no other.
 */
async function unsaidEnds(
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
  const unsaid = new Map((await withdrawEnds(trx, asks, nowUs)).map((one) => [one.alertNo, one.contactIds]));
  if (unsaid.size === 0) return [];
  const rows = await lockAlerts(trx, [...unsaid.keys()]);
  return openAlerts(rows, devices, nowUs)
    .filter((alert) => alert.state.phase === 'ended')
    .map((alert) => ({
      ...alert,
      state: { ...alert.state, notified: unsaid.get(alert.alertNo ?? 0) ?? [] },
    }));
}
