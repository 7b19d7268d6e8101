import {
  afterDown,
  afterUp,
  enterPhase,
  type Facts,
  newAlertState,
  reopened,
  severalKinds,
} from '@vantage/alerts';
import { secondUs } from '@vantage/domain';
import type { EventCause } from '@vantage/health';
import { alertKey, type ChangedDevice, type OpenAlert } from './change-store.ts';
import type { AlertChange } from './changes.ts';

/** The facts that changes are applied to. */
export interface ChangeContext {
  readonly devices: ReadonlyMap<number, ChangedDevice>;
  readonly open: readonly OpenAlert[];
  /** Outages of a device that were confirmed within this time count as flapping. */
  readonly flappingWindowUs: number;
  readonly nowUs: number;
}

/** The alerts that changed or are new, and the events that this makes. */
export interface AppliedChanges {
  readonly alerts: readonly OpenAlert[];
  readonly events: readonly EventCause[];
}

/** Changes being applied: what they read, and what they change. */
interface Application {
  readonly devices: ReadonlyMap<number, ChangedDevice>;
  readonly flappingWindowUs: number;
  readonly nowUs: number;
  readonly alerts: Map<string, OpenAlert>;
  readonly changed: Set<OpenAlert>;
  readonly events: EventCause[];
}

/** Applies changes one after the other. An alert that opened and ended without anybody to notify is left out. Pure. */
export function applyChanges(changes: readonly AlertChange[], context: ChangeContext): AppliedChanges {
  const open = new Map(context.open.map((alert) => [alertKey(alert), alert]));
  const changed = new Set<OpenAlert>();
  const events: EventCause[] = [];
  for (const change of changes) applyChange(change, { ...context, alerts: open, changed, events });
  const alerts = [...changed].filter(({ alertNo, state }) => alertNo !== null || state.phase !== 'ended');
  return { alerts, events };
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
  if (isGoingOn(present)) {
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
  const { nowUs, flappingWindowUs: windowUs } = application;
  const partial = findPartial(change.deviceNo, application);
  const alert = findDown(change.deviceNo, application);
  if (partial !== undefined) {
    const heard = new Set(alert?.state.notified);
    const heardElsewhere = partial.state.notified.filter((id) => heard.has(id));
    partial.state = { ...partial.state, heardElsewhere };
    touch(partial, application);
  }
  if (alert?.device == null || !isGoingOn(alert)) return;
  if (alert.state.phase === 'late') summarize(alert, change.sinceUs, application);
  const recent = alert.device.recent.filter(({ alertNo }) => alertNo !== alert.alertNo);
  const over = { recent, sinceUs: alert.sinceUs, upUs: change.sinceUs, nowUs, windowUs };
  alert.state = afterUp(alert.state, over);
  alert.ending = { ...change.facts, At: change.sinceUs };
  touch(alert, application);
  const { phase, activeUs, past } = alert.state;
  alert.endedUp = phase === 'ended' && (activeUs !== null || past.length > 0);
}

function applyMaintenanceOver(
  { accountNo, deviceNo, sinceUs }: Extract<AlertChange, { kind: 'maintenance-over' }>,
  application: Application,
): void {
  const { nowUs, devices } = application;
  const present = findDown(deviceNo, application);
  touch(present, application);
  if (isGoingOn(present)) return;
  const device = devices.get(deviceNo);
  if (device === undefined) return;
  const about = { accountNo, device, locationNo: null, agentNo: null, severity: device.severity };
  const state = newAlertState('judging', nowUs, sinceUs);
  add({ ...about, kind: 'device.down', sinceUs, state, opening: {} }, application);
}

/**
 * Applies a warning about a device that is Up: it fails from some Locations, is slow, or has a certificate that
 * expires.
 */
function applyWarning(
  change: Extract<AlertChange, { kind: 'partial' | 'slow' | 'fast' | 'certificate' }>,
  application: Application,
): void {
  const { nowUs, devices, alerts } = application;
  const { deviceNo, facts } = change;
  if (change.kind === 'fast') {
    const present = alerts.get(`device.slow/device/${deviceNo}`);
    if (isGoingOn(present)) end(present, facts, application);
    return;
  }
  const kind = warningKinds[change.kind];
  const device = devices.get(deviceNo);
  if (device === undefined || isGoingOn(alerts.get(`${kind}/device/${deviceNo}`))) return;
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
  else if (change.kind === 'offline' && !isGoingOn(present))
    add({ ...about, kind: 'location.offline', sinceUs, state, opening: facts }, application);
  else if (change.kind === 'online' && isGoingOn(present)) end(present, facts, application);
}

function applyAnchor(
  change: Extract<AlertChange, { kind: 'anchor-down' | 'anchor-up' }>,
  application: Application,
): void {
  const { accountNo, locationNo, sinceUs, facts } = change;
  const about = { kind: 'anchor.down', accountNo, device: null, locationNo, agentNo: null } as const;
  const present = application.alerts.get(alertKey({ ...about, opening: facts }));
  if (change.kind === 'anchor-down' && !isGoingOn(present)) {
    const state = newAlertState('active', application.nowUs);
    add({ ...about, severity: 'critical', sinceUs, state, opening: facts }, application);
  } else if (change.kind === 'anchor-up' && isGoingOn(present)) end(present, facts, application);
}

/** Ends an alert: everyone who was notified gets its last message. */
function end(alert: OpenAlert, facts: Facts, application: Application): void {
  const { nowUs } = application;
  alert.state = enterPhase(alert.state, 'ended', nowUs);
  alert.ending = facts;
  touch(alert, application);
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
            kind: 'alert-suppressed',
            accountNo,
            deviceNo: device?.deviceNo ?? null,
            locationNo: null,
            alertKind: kind,
            status: 'Down',
            reason: event.reason,
            detail: event.detail,
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

/** A summary names this many outages; the others are counted. */
const summarizedOutages = 50;

/** The facts of a summary of past outages with one more. Since is the begin of the earliest one. Pure. */
export function withOutage(
  { Since, Count, Outages }: Facts,
  outage: {
    readonly Start: number;
    readonly End: number;
    readonly device_id: string;
    readonly ShortName: string;
    readonly FullName: string | null;
  },
): Facts {
  const listed = Array.isArray(Outages) ? Outages : [];
  // A device that is still Down has an alert of its own, after a live check.
  const named = { ...outage, Seconds: Math.floor((outage.End - outage.Start) / secondUs), IsOver: true };
  return {
    Since: Math.min(outage.Start, typeof Since === 'number' ? Since : outage.Start),
    Count: (typeof Count === 'number' ? Count : 0) + 1,
    Outages: listed.length < summarizedOutages ? [...listed, named] : listed,
  };
}

/** It is open, and its end was not seen yet. */
function isGoingOn(alert: OpenAlert | undefined): alert is OpenAlert {
  return alert !== undefined && alert.state.phase !== 'ended';
}

type NewAlert = Omit<OpenAlert, 'alertNo' | 'ending' | 'endedUp' | 'isReopened' | 'dueUs'>;

/** A new alert, or the one of the same kind again whose end nobody heard of. */
function add(alert: NewAlert, application: Application): void {
  const { nowUs, alerts, changed } = application;
  // An alert about one moment may be open several times.
  const maySeveralBeOpen = severalKinds.has(alert.kind);
  const present = maySeveralBeOpen ? undefined : alerts.get(alertKey(alert));
  if (present !== undefined) {
    reopen(present, alert, application);
    return;
  }
  const made: OpenAlert = {
    ...alert,
    alertNo: null,
    ending: null,
    endedUp: false,
    isReopened: false,
    dueUs: nowUs,
  };
  if (!maySeveralBeOpen) alerts.set(alertKey(made), made);
  changed.add(made);
}

/** See `reopened` of libs/alerts. */
function reopen(alert: OpenAlert, anew: NewAlert, application: Application): void {
  const { state, sinceUs, ending } = alert;
  const upUs = ending?.['At'];
  const isOutage = alert.kind === 'device.down' && state.flapping === null;
  const over =
    isOutage && state.activeUs !== null && typeof upUs === 'number'
      ? { activeUs: state.activeUs, sinceUs, upUs }
      : null;
  alert.locationNo = anew.locationNo;
  alert.agentNo = anew.agentNo;
  alert.severity = anew.severity;
  alert.opening = anew.opening;
  alert.sinceUs = anew.sinceUs;
  alert.ending = null;
  alert.state = reopened(state, anew.state, { unaware: state.notified, over });
  alert.endedUp = false;
  alert.isReopened = alert.alertNo !== null;
  touch(alert, application);
}

/** Lets the alert be decided at once. */
function touch(alert: OpenAlert | undefined, { nowUs, changed }: Application): void {
  if (alert === undefined) return;
  alert.dueUs = nowUs;
  changed.add(alert);
}
