import { type AlertKind, endKindOf, type MessageKind } from '@vantage/alerts';
import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';
import { alertKey } from './alert-key.ts';
import { lockAlerts, openAlerts } from './change-store.ts';
import type { AlertChange } from './changes.ts';
import { orderKeyOf } from './messages.ts';
import type { ChangedDevice, OpenAlert } from './open-alert.ts';

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
export async function unsaidEnds(
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
