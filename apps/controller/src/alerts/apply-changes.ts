import {
  type AlertKind,
  type AlertState,
  afterDown,
  afterUp,
  type Facts,
  newAlertState,
  noOutages,
  type RecentOutages,
  type Severity,
} from '@vantage/alerts';
import type { EventCause } from '@vantage/health';
import { alertKey } from './alert-key.ts';
import type { AlertChange } from './changes.ts';
import { withOutage } from './late-summary.ts';

/** A device as a new alert needs it. */
export interface ChangedDevice {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly shortName: string;
  readonly fullName: string | null;
  readonly severity: Severity;
  /** Confirmed outages of it that ended within the time in which three of them are flapping. */
  readonly recent: RecentOutages;
}

/** An open alert, as it is or as it will be inserted (`alertNo` null). */
export interface OpenAlert {
  readonly alertNo: number | null;
  readonly kind: AlertKind;
  readonly accountNo: number;
  readonly device: ChangedDevice | null;
  readonly locationNo: number | null;
  readonly agentNo: number | null;
  readonly severity: Severity;
  readonly sinceUs: number;
  state: AlertState;
  opening: Facts;
  ending: Facts | null;
  closedUs: number | null;
  endedUp: boolean;
  dueUs: number | null;
}

/** The facts that changes are applied to. */
export interface ChangeContext {
  readonly devices: ReadonlyMap<number, ChangedDevice>;
  readonly open: readonly OpenAlert[];
  readonly nowUs: number;
}

/** The alerts that changed or are new, and the events that this makes. */
export interface AppliedChanges {
  readonly alerts: readonly OpenAlert[];
  readonly events: readonly EventCause[];
}

/** Applies changes one after the other. An alert that opened and ended without anybody to notify is left out. Pure. */
export function applyChanges(changes: readonly AlertChange[], context: ChangeContext): AppliedChanges {
  const open = new Map(context.open.map((alert) => [alertKey(alert), alert]));
  const changed = new Set<OpenAlert>();
  const events: EventCause[] = [];
  for (const change of changes) applyChange(change, { ...context, alerts: open, changed, events });
  const alerts = [...changed].filter(({ alertNo, closedUs }) => alertNo !== null || closedUs === null);
  return { alerts, events };
}

interface Application {
  readonly devices: ReadonlyMap<number, ChangedDevice>;
  readonly nowUs: number;
  readonly alerts: Map<string, OpenAlert>;
  readonly changed: Set<OpenAlert>;
  readonly events: EventCause[];
}

function applyChange(change: AlertChange, application: Application): void {
  switch (change.kind) {
    case 'down':
      applyDown(change, application);
      return;
    case 'up':
      applyUp(change, application);
      return;
    case 'maintenance-over':
      applyMaintenanceOver(change, application);
      return;
    case 'touched':
      touch(findDown(change.deviceNo, application), application);
      touch(findPartial(change.deviceNo, application), application);
      return;
    case 'partial':
    case 'slow':
    case 'fast':
    case 'certificate':
      applyWarning(change, application);
      return;
    case 'anchor-down':
    case 'anchor-up':
      applyAnchor(change, application);
      return;
    case 'offline':
    case 'online':
    case 'fenced':
      applyLocation(change, application);
      return;
  }
}

function applyDown(change: Extract<AlertChange, { kind: 'down' | 'up' }>, application: Application): void {
  const { nowUs, devices, events } = application;
  const { accountNo, deviceNo, sinceUs, locationNo, agentNo, isLate, facts } = change;
  touch(findPartial(deviceNo, application), application);
  const present = findDown(deviceNo, application);
  if (present !== undefined) {
    const next = afterDown(present.state, { sinceUs, nowUs });
    events.push(...suppressedEvents(present, next.events));
    present.state = next.state;
    touch(present, application);
    return;
  }
  const device = devices.get(deviceNo);
  if (device === undefined) return;
  const state = newAlertState(isLate ? 'late' : 'judging', nowUs, sinceUs);
  const about = { accountNo, device, locationNo, agentNo, severity: device.severity };
  add({ ...about, kind: 'device.down', sinceUs, state, opening: facts }, application);
}

function applyUp(change: Extract<AlertChange, { kind: 'down' | 'up' }>, application: Application): void {
  const { nowUs } = application;
  touch(findPartial(change.deviceNo, application), application);
  const alert = findDown(change.deviceNo, application);
  if (alert?.device == null) return;
  if (alert.state.phase === 'late') summarize(alert, change.sinceUs, application);
  const { recent } = alert.device;
  alert.state = afterUp(alert.state, { recent, sinceUs: alert.sinceUs, upUs: change.sinceUs, nowUs });
  alert.ending = { ...change.facts, At: change.sinceUs };
  touch(alert, application);
  if (alert.state.phase !== 'ended') return;
  close(alert, application);
  alert.endedUp = alert.state.activeUs !== null;
}

function applyMaintenanceOver(
  { accountNo, deviceNo, sinceUs }: Extract<AlertChange, { kind: 'maintenance-over' }>,
  application: Application,
): void {
  const { nowUs, devices } = application;
  const present = findDown(deviceNo, application);
  touch(present, application);
  if (present !== undefined) return;
  const device = devices.get(deviceNo);
  if (device === undefined) return;
  const about = { accountNo, device, locationNo: null, agentNo: null, severity: device.severity };
  const state = newAlertState('judging', nowUs, sinceUs);
  add({ ...about, kind: 'device.down', sinceUs, state, opening: {} }, application);
}

/** What a device that is Up may alert of: it fails from some Locations, is slow, or has a certificate that expires. */
function applyWarning(
  change: Extract<AlertChange, { kind: 'partial' | 'slow' | 'fast' | 'certificate' }>,
  application: Application,
): void {
  const { nowUs, devices, alerts } = application;
  const { deviceNo, facts } = change;
  if (change.kind === 'fast') {
    const present = alerts.get(`device.slow/device/${deviceNo}`);
    if (present !== undefined) end(present, facts, application);
    return;
  }
  const kind = warningKinds[change.kind];
  const device = devices.get(deviceNo);
  if (device === undefined || (change.kind !== 'certificate' && alerts.has(`${kind}/device/${deviceNo}`)))
    return;
  const about = { accountNo: change.accountNo, device, locationNo: null, agentNo: null };
  const sinceUs = change.kind === 'slow' ? change.sinceUs : nowUs;
  const state = newAlertState('active', nowUs);
  add({ ...about, severity: device.severity, kind, sinceUs, state, opening: facts }, application);
}

const warningKinds = {
  partial: 'device.partial',
  slow: 'device.slow',
  certificate: 'certificate.expiring',
} as const;

function applyLocation(
  change: Extract<AlertChange, { kind: 'offline' | 'online' | 'fenced' }>,
  application: Application,
): void {
  const { nowUs, alerts } = application;
  const { accountNo, locationNo, sinceUs, facts } = change;
  const about = { accountNo, device: null, locationNo, agentNo: null, severity: 'critical' as const };
  const present = alerts.get(`location.offline/location/${locationNo}`);
  const state = newAlertState('active', nowUs);
  if (change.kind === 'fenced')
    add({ ...about, kind: 'agent.fenced', sinceUs, state, opening: facts }, application);
  else if (change.kind === 'offline' && present === undefined)
    add({ ...about, kind: 'location.offline', sinceUs, state, opening: facts }, application);
  else if (change.kind === 'online' && present !== undefined) end(present, facts, application);
}

function applyAnchor(
  change: Extract<AlertChange, { kind: 'anchor-down' | 'anchor-up' }>,
  application: Application,
): void {
  const { accountNo, locationNo, sinceUs, facts } = change;
  const about = { kind: 'anchor.down', accountNo, device: null, locationNo, agentNo: null } as const;
  const present = application.alerts.get(alertKey({ ...about, opening: facts }));
  if (change.kind === 'anchor-down' && present === undefined) {
    const state = newAlertState('active', application.nowUs);
    add({ ...about, severity: 'critical', sinceUs, state, opening: facts }, application);
  } else if (change.kind === 'anchor-up' && present !== undefined) end(present, facts, application);
}

/** What the alert is about is over: everyone who was notified gets its last message. */
function end(alert: OpenAlert, facts: Facts, application: Application): void {
  const { nowUs } = application;
  alert.state = afterUp(alert.state, { recent: noOutages, sinceUs: alert.sinceUs, upUs: nowUs, nowUs });
  alert.ending = facts;
  touch(alert, application);
  close(alert, application);
}

/** A past outage that late results brought notifies nobody; one summary for each Location names them. */
function summarize(alert: OpenAlert, endUs: number, application: Application): void {
  const { nowUs, alerts, events } = application;
  const { accountNo, device, locationNo } = alert;
  const detail = 'the outage was over when its results arrived';
  events.push(...suppressedEvents(alert, [{ kind: 'suppressed', reason: 'late', detail }]));
  if (device === null || locationNo === null) return;
  const { deviceId: device_id, shortName: ShortName, fullName: FullName } = device;
  const outage = { device_id, ShortName, FullName, Start: alert.sinceUs, End: endUs };
  const present = alerts.get(`late.summary/location/${locationNo}`);
  if (present === undefined) {
    const about = { accountNo, device: null, locationNo, agentNo: null, severity: 'info' as const };
    const state = newAlertState('collecting', nowUs);
    const opening = withOutage({}, outage);
    add({ ...about, kind: 'late.summary', sinceUs: alert.sinceUs, state, opening }, application);
    return;
  }
  present.opening = withOutage(present.opening, outage);
  if (present.state.phase === 'collecting') present.state = { ...present.state, phaseSinceUs: nowUs };
  touch(present, application);
}

function suppressedEvents(
  { accountNo, device, kind }: OpenAlert,
  events: ReturnType<typeof afterDown>['events'],
): EventCause[] {
  return events.flatMap((event) =>
    event.kind === 'suppressed'
      ? [
          {
            ...{ kind: 'alert-suppressed', accountNo, deviceNo: device?.deviceNo ?? null, locationNo: null },
            ...{ alertKind: kind, status: 'Down', reason: event.reason, detail: event.detail },
          } as const,
        ]
      : [],
  );
}

function findDown(deviceNo: number, { alerts }: Application): OpenAlert | undefined {
  return alerts.get(`device.down/device/${deviceNo}`);
}

function findPartial(deviceNo: number, { alerts }: Application): OpenAlert | undefined {
  return alerts.get(`device.partial/device/${deviceNo}`);
}

function add(
  alert: Omit<OpenAlert, 'alertNo' | 'ending' | 'closedUs' | 'endedUp' | 'dueUs'>,
  { nowUs, alerts, changed }: Application,
): void {
  const made: OpenAlert = {
    ...{ ...alert, alertNo: null, ending: null, closedUs: null, endedUp: false, dueUs: nowUs },
  };
  // An alert about one moment may be open several times.
  if (alert.kind !== 'agent.fenced' && alert.kind !== 'certificate.expiring')
    alerts.set(alertKey(made), made);
  changed.add(made);
}

/** Lets the alert be decided at once. */
function touch(alert: OpenAlert | undefined, { nowUs, changed }: Application): void {
  if (alert === undefined) return;
  alert.dueUs = nowUs;
  changed.add(alert);
}

function close(alert: OpenAlert, { nowUs, alerts }: Application): void {
  alert.closedUs = nowUs;
  alerts.delete(alertKey(alert));
}
