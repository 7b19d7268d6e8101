import { type afterDown, enterPhase, type MessageFacts, reopened, severalKinds } from '@vantage/alerts';
import type { EventCause } from '@vantage/health';
import { alertKey, type ChangedDevice, type OpenAlert } from './open-alert.ts';

/** The alerts to which changes are applied, and the alerts and events that changed. */
export interface ChangeSet {
  readonly devices: ReadonlyMap<number, ChangedDevice>;
  readonly flappingWindowUs: number;
  readonly nowUs: number;
  readonly alerts: Map<string, OpenAlert>;
  readonly changed: Set<OpenAlert>;
  readonly events: EventCause[];
}

/** Ends an alert: everyone who was notified gets its last message. */
export function end(alert: OpenAlert, facts: MessageFacts, changeSet: ChangeSet): void {
  const { nowUs } = changeSet;
  alert.state = enterPhase(alert.state, 'ended', nowUs);
  alert.ending = facts;
  touch(alert, changeSet);
}

export function suppressedEvents(
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

/** Whether it is open and has not ended yet. */
export function hasNotEnded(alert: OpenAlert | undefined): alert is OpenAlert {
  return alert !== undefined && alert.state.phase !== 'ended';
}

type NewAlert = Omit<OpenAlert, 'alertNo' | 'ending' | 'endedUp' | 'isReopened' | 'dueUs'>;

/** Adds a new alert, or reopens the one of the same kind of whose end no contact was notified. */
export function add(alert: NewAlert, changeSet: ChangeSet): void {
  const { nowUs, alerts, changed } = changeSet;
  // An alert about one moment may be open several times.
  const maySeveralBeOpen = severalKinds.has(alert.kind);
  const present = maySeveralBeOpen ? undefined : alerts.get(alertKey(alert));
  if (present !== undefined) {
    reopen(present, alert, changeSet);
    return;
  }
  const created: OpenAlert = {
    ...alert,
    alertNo: null,
    ending: null,
    endedUp: false,
    isReopened: false,
    dueUs: nowUs,
  };
  if (!maySeveralBeOpen) alerts.set(alertKey(created), created);
  changed.add(created);
}

/** See `reopened` of libs/alerts. */
function reopen(alert: OpenAlert, next: NewAlert, changeSet: ChangeSet): void {
  const { state, sinceUs, ending } = alert;
  const upUs = ending?.['At'];
  const isOutage = alert.kind === 'device.down' && state.flapping === null;
  const over =
    isOutage && state.activeUs !== null && typeof upUs === 'number'
      ? { activeUs: state.activeUs, sinceUs, upUs }
      : null;
  alert.locationNo = next.locationNo;
  alert.agentNo = next.agentNo;
  alert.severity = next.severity;
  alert.opening = next.opening;
  alert.sinceUs = next.sinceUs;
  alert.ending = null;
  alert.state = reopened(state, next.state, { unaware: state.notified, over });
  alert.endedUp = false;
  alert.isReopened = alert.alertNo !== null;
  touch(alert, changeSet);
}

/** Lets the alert be decided at once. */
export function touch(alert: OpenAlert | undefined, { nowUs, changed }: ChangeSet): void {
  if (alert === undefined) return;
  alert.dueUs = nowUs;
  changed.add(alert);
}
