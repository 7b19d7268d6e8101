import { afterDown, afterUp, newAlertState } from '@vantage/alerts';
import { add, type ChangeSet, end, hasNotEnded, suppressedEvents, touch } from './change-set.ts';
import type { AlertChange } from './changes.ts';
import { summarize } from './late-summary.ts';
import { alertKey, type OpenAlert } from './open-alert.ts';

export function applyDown(change: Extract<AlertChange, { kind: 'down' | 'up' }>, changeSet: ChangeSet): void {
  const { nowUs, devices, events } = changeSet;
  const { accountNo, deviceNo, sinceUs, locationNo, agentNo, isLate, facts } = change;
  touch(findPartial(deviceNo, changeSet), changeSet);
  const present = findDown(deviceNo, changeSet);
  if (hasNotEnded(present)) {
    const next = afterDown(present.state, { sinceUs, nowUs });
    events.push(...suppressedEvents(present, next.events));
    present.state = next.state;
    touch(present, changeSet);
    return;
  }
  const device = devices.get(deviceNo);
  if (device === undefined) return;
  const state = newAlertState(isLate ? 'late' : 'judging', nowUs, sinceUs);
  const origin = { accountNo, device, locationNo, agentNo, severity: device.severity };
  add({ ...origin, kind: 'device.down', sinceUs, state, opening: facts }, changeSet);
}

export function applyUp(change: Extract<AlertChange, { kind: 'down' | 'up' }>, changeSet: ChangeSet): void {
  const { nowUs, flappingWindowUs: windowUs } = changeSet;
  const partial = findPartial(change.deviceNo, changeSet);
  const alert = findDown(change.deviceNo, changeSet);
  if (partial !== undefined) {
    const heard = new Set(alert?.state.notified);
    const heardElsewhere = partial.state.notified.filter((id) => heard.has(id));
    partial.state = { ...partial.state, heardElsewhere };
    touch(partial, changeSet);
  }
  if (alert?.device == null || !hasNotEnded(alert)) return;
  if (alert.state.phase === 'late') summarize(alert, change.sinceUs, changeSet);
  const recent = alert.device.recent.filter(({ alertNo }) => alertNo !== alert.alertNo);
  const over = { recent, sinceUs: alert.sinceUs, upUs: change.sinceUs, nowUs, windowUs };
  alert.state = afterUp(alert.state, over);
  alert.ending = { ...change.facts, At: change.sinceUs };
  touch(alert, changeSet);
  const { phase, activeUs, past } = alert.state;
  alert.endedUp = phase === 'ended' && (activeUs !== null || past.length > 0);
}

export function applyMaintenanceOver(
  { accountNo, deviceNo, sinceUs }: Extract<AlertChange, { kind: 'maintenance-over' }>,
  changeSet: ChangeSet,
): void {
  const { nowUs, devices } = changeSet;
  const present = findDown(deviceNo, changeSet);
  touch(present, changeSet);
  if (hasNotEnded(present)) return;
  const device = devices.get(deviceNo);
  if (device === undefined) return;
  const origin = { accountNo, device, locationNo: null, agentNo: null, severity: device.severity };
  const state = newAlertState('judging', nowUs, sinceUs);
  add({ ...origin, kind: 'device.down', sinceUs, state, opening: {} }, changeSet);
}

/**
 * Applies a warning about a device that is Up: it fails from some Locations, is slow, or has a certificate that
 * expires.
 */
export function applyWarning(
  change: Extract<AlertChange, { kind: 'partial' | 'slow' | 'fast' | 'certificate' }>,
  changeSet: ChangeSet,
): void {
  const { nowUs, devices, alerts } = changeSet;
  const { deviceNo, facts } = change;
  if (change.kind === 'fast') {
    const present = alerts.get(`device.slow/device/${deviceNo}`);
    if (hasNotEnded(present)) end(present, facts, changeSet);
    return;
  }
  const kind = warningKinds[change.kind];
  const device = devices.get(deviceNo);
  if (device === undefined || hasNotEnded(alerts.get(`${kind}/device/${deviceNo}`))) return;
  const origin = { accountNo: change.accountNo, device, locationNo: null, agentNo: null };
  const sinceUs = change.kind === 'slow' ? change.sinceUs : nowUs;
  const state = newAlertState('active', nowUs);
  add({ ...origin, severity: device.severity, kind, sinceUs, state, opening: facts }, changeSet);
}

const warningKinds = {
  partial: 'device.partial',
  slow: 'device.slow',
  certificate: 'certificate.expiring',
} as const;

/** Each interface of a device has an alert of its own. */
export function applyInterface(
  change: Extract<AlertChange, { kind: 'interface-down' | 'interface-up' }>,
  changeSet: ChangeSet,
): void {
  const { accountNo, deviceNo, locationNo, sinceUs, facts } = change;
  const kind = 'interface.down';
  const present = changeSet.alerts.get(
    alertKey({ kind, device: { deviceNo }, locationNo: null, opening: facts }),
  );
  if (change.kind === 'interface-up') {
    if (hasNotEnded(present)) end(present, facts, changeSet);
    return;
  }
  const device = changeSet.devices.get(deviceNo);
  if (device === undefined || hasNotEnded(present)) return;
  const origin = { accountNo, device, locationNo, agentNo: null, severity: device.severity };
  const state = newAlertState('active', changeSet.nowUs);
  add({ ...origin, kind, sinceUs, state, opening: facts }, changeSet);
}

export function findDown(deviceNo: number, { alerts }: ChangeSet): OpenAlert | undefined {
  return alerts.get(`device.down/device/${deviceNo}`);
}

export function findPartial(deviceNo: number, { alerts }: ChangeSet): OpenAlert | undefined {
  return alerts.get(`device.partial/device/${deviceNo}`);
}
