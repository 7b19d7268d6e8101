import type { MessageFacts } from '@vantage/alerts';
import { checkId, dayUs } from '@vantage/domain';
import { type AlertingCause, type EventCause, interfaceText } from '@vantage/health';

/** A change that opens or ends alerts, or lets open ones be decided again. */
export type AlertChange =
  | {
      readonly kind: 'down' | 'up';
      readonly accountNo: number;
      readonly deviceNo: number;
      /** The start of the new status. */
      readonly sinceUs: number;
      /** The Location and the agent of the check; null where no check caused the change. */
      readonly locationNo: number | null;
      readonly agentNo: number | null;
      /** Late results caused it. */
      readonly isLate: boolean;
      readonly facts: MessageFacts;
    }
  /** Down since the end of a maintenance. */
  | {
      readonly kind: 'maintenance-over';
      readonly accountNo: number;
      readonly deviceNo: number;
      readonly sinceUs: number;
    }
  /** Something about the device changed that its alert, or those of its dependents, wait for. */
  | { readonly kind: 'touched'; readonly deviceNo: number }
  | {
      readonly kind: 'partial';
      readonly accountNo: number;
      readonly deviceNo: number;
      readonly facts: MessageFacts;
    }
  /** Good checks are slow. */
  | {
      readonly kind: 'slow';
      readonly accountNo: number;
      readonly deviceNo: number;
      readonly sinceUs: number;
      readonly facts: MessageFacts;
    }
  /** They are fast again. */
  | { readonly kind: 'fast'; readonly deviceNo: number; readonly facts: MessageFacts }
  | {
      readonly kind: 'certificate';
      readonly accountNo: number;
      readonly deviceNo: number;
      readonly facts: MessageFacts;
    }
  /** An interface of the device is down, or no longer. `facts.WatchedBy` distinguishes the interfaces of a device. */
  | {
      readonly kind: 'interface-down' | 'interface-up';
      readonly accountNo: number;
      readonly deviceNo: number;
      readonly locationNo: number;
      readonly sinceUs: number;
      readonly facts: MessageFacts;
    }
  /**
   * An anchor of a Location does not answer, or answers again. `facts.Target` distinguishes the anchors of a Location.
   */
  | {
      readonly kind: 'anchor-down' | 'anchor-up';
      readonly accountNo: number;
      readonly locationNo: number;
      readonly sinceUs: number;
      readonly facts: MessageFacts;
    }
  | {
      readonly kind: 'offline' | 'online' | 'fenced';
      readonly accountNo: number;
      readonly locationNo: number;
      readonly sinceUs: number;
      readonly facts: MessageFacts;
    };

/*
 * The effect of an event on alerts:
 *
 *   event                                   | change
 *   Down                                    | down: opens device.down; late: a live check decides first
 *   Up                                      | up: ends device.down
 *   Recovered, Unknown                      | touched: the alerts of dependents may wait for it, a Partial may have ended
 *   Partial                                 | partial: opens device.partial
 *   Down, Up as a correction                | down, up, by late results
 *   MaintEnd while Down                     | maintenance-over: opens device.down where none is open
 *   Changed, paused                         | touched
 *   Slow                                    | slow: opens device.slow where none is open
 *   Fast                                    | fast: ends device.slow
 *   CertificateExpiring                     | certificate: opens certificate.expiring
 *   InterfaceDown                           | interface-down: opens interface.down, unless the interface makes the device Down
 *   InterfaceUp                             | interface-up: ends interface.down of this interface
 *   LocationOffline, LocationOnline         | opens, ends location.offline
 *   AnchorDown, AnchorUp                    | opens, ends anchor.down of this anchor
 *   AgentFenced                             | opens agent.fenced
 *   Error, and kinds without changesAlerts  | nothing
 */

/** The changes of alerts that these events cause. Pure. */
export function changesOf(causes: readonly AlertingCause[], nowUs: number): AlertChange[] {
  return causes.flatMap((cause) => changeOf(cause, nowUs) ?? []);
}

function changeOf(cause: AlertingCause, nowUs: number): AlertChange | undefined {
  switch (cause.kind) {
    case 'check':
      return changeOfCheck(cause);
    case 'correction': {
      const { accountNo, deviceNo, status, check } = cause;
      if (status === 'Unknown') return { kind: 'touched', deviceNo };
      const check_id = check === null ? null : checkId({ deviceNo, ...check });
      return {
        kind: status === 'Down' ? 'down' : 'up',
        accountNo,
        deviceNo,
        sinceUs: check?.startUs ?? nowUs,
        locationNo: null,
        agentNo: check?.agentNo ?? null,
        isLate: true,
        facts: { CheckResult: null, check_id },
      };
    }
    case 'maintenance-end': {
      const { accountNo, deviceNo, status, atUs: sinceUs } = cause;
      return status === 'Down'
        ? { kind: 'maintenance-over', accountNo, deviceNo, sinceUs }
        : { kind: 'touched', deviceNo };
    }
    case 'device-changed':
    case 'device-paused':
      return { kind: 'touched', deviceNo: cause.deviceNo };
    case 'device-slow':
    case 'device-fast':
    case 'certificate-expiring':
      return changeOfWarning(cause);
    case 'interface-down':
    case 'interface-up':
      return changeOfInterface(cause);
    case 'location-offline': {
      const { accountNo, locationNo, locationName, sinceUs, reason, devices } = cause;
      const facts = { Location: locationName, Devices: devices, CheckResult: reason };
      return { kind: 'offline', accountNo, locationNo, sinceUs, facts };
    }
    case 'location-online': {
      const { accountNo, locationNo, locationName } = cause;
      return { kind: 'online', accountNo, locationNo, sinceUs: nowUs, facts: { Location: locationName } };
    }
    case 'anchor-down':
    case 'anchor-up':
      return changeOfAnchor(cause, nowUs);
    case 'agent-fenced': {
      const { accountNo, locationNo, locationName, agentName, hostNames } = cause;
      const facts = { Location: locationName, Agent: agentName, Hosts: hostNames };
      return { kind: 'fenced', accountNo, locationNo, sinceUs: nowUs, facts };
    }
  }
}

function changeOfAnchor(
  cause: Extract<EventCause, { readonly kind: 'anchor-down' | 'anchor-up' }>,
  nowUs: number,
): AlertChange {
  const { kind, accountNo, locationNo, locationName, anchorName, target } = cause;
  const anchor = { Name: anchorName, Target: target, Location: locationName };
  return {
    kind,
    accountNo,
    locationNo,
    sinceUs: kind === 'anchor-down' ? cause.sinceUs : nowUs,
    facts: kind === 'anchor-down' ? { ...anchor, CheckResult: cause.reason } : anchor,
  };
}

type WarningCause = Extract<
  EventCause,
  { readonly kind: 'device-slow' | 'device-fast' | 'certificate-expiring' }
>;

function changeOfWarning(cause: WarningCause): AlertChange {
  switch (cause.kind) {
    case 'device-slow': {
      const { accountNo, deviceNo, atUs: sinceUs, requestMs, check } = cause;
      const facts = { CheckResult: `took ${requestMs} ms`, check_id: checkId({ deviceNo, ...check }) };
      return { kind: 'slow', accountNo, deviceNo, sinceUs, facts };
    }
    case 'device-fast': {
      const { deviceNo, atUs: At, requestMs, check } = cause;
      const CheckResult = `no longer slow, took ${requestMs} ms`;
      return {
        kind: 'fast',
        deviceNo,
        facts: { CheckResult, check_id: checkId({ deviceNo, ...check }), At },
      };
    }
    case 'certificate-expiring': {
      const { accountNo, deviceNo, notAfterUs: NotAfter, atUs, check, what } = cause;
      const DaysLeft = Math.floor((NotAfter - atUs) / dayUs);
      const CheckResult = DaysLeft < 0 ? 'expired' : `${DaysLeft} ${DaysLeft === 1 ? 'day' : 'days'} left`;
      const which = what === 'certificate' ? {} : { Expiring: what };
      const facts = { CheckResult, check_id: checkId({ deviceNo, ...check }), NotAfter, DaysLeft, ...which };
      return { kind: 'certificate', accountNo, deviceNo, facts };
    }
  }
}

function changeOfInterface(
  cause: Extract<EventCause, { readonly kind: 'interface-down' | 'interface-up' }>,
): AlertChange | undefined {
  const { kind, accountNo, deviceNo, locationNo, change, atUs, check, isDeviceDown } = cause;
  // The device is Down because of it, and has an alert.
  if (kind === 'interface-down' && isDeviceDown) return undefined;
  const facts = {
    Interface: change.name,
    Alias: change.alias,
    WatchedBy: change.key,
    CheckResult: interfaceText(change),
    check_id: checkId({ deviceNo, ...check }),
    ...(kind === 'interface-down' ? {} : { At: atUs }),
    ...(change.kind === 'unwatched' ? { Unwatched: true } : {}),
    ...(change.isMissing ? { Missing: true } : {}),
    ...(kind === 'interface-down' && change.downs > 1 ? { Downs: change.downs } : {}),
  };
  return { kind, accountNo, deviceNo, locationNo, sinceUs: change.sinceUs, facts };
}

function changeOfCheck(cause: Extract<EventCause, { readonly kind: 'check' }>): AlertChange | undefined {
  const { accountNo, deviceNo, event, isLate, failingNames } = cause;
  const check_id = checkId({ deviceNo, ...event.cause });
  switch (event.type) {
    case 'Down':
    case 'Up': {
      const { sinceUs, locationNo, text } = event;
      return {
        kind: event.type === 'Down' ? 'down' : 'up',
        accountNo,
        deviceNo,
        sinceUs,
        locationNo,
        isLate,
        agentNo: event.cause.agentNo,
        facts: { CheckResult: text, check_id },
      };
    }
    case 'Partial':
      return {
        kind: 'partial',
        accountNo,
        deviceNo,
        facts: { CheckResult: event.text, check_id, Locations: failingNames },
      };
    case 'Recovered':
    case 'Unknown':
      return { kind: 'touched', deviceNo };
    case 'Error':
      return undefined;
  }
}
