import { checkId } from '@vantage/domain';
import type { EventCause } from '@vantage/health';
import type { Facts } from './alert-row.ts';

/** A change that opens or ends alerts, or lets open ones be decided again. */
export type AlertChange =
  | {
      readonly kind: 'down' | 'up';
      readonly accountNo: number;
      readonly deviceNo: number;
      /** Begin of the new status. */
      readonly sinceUs: number;
      /** Where and by which agent it was seen; null where no check said it. */
      readonly locationNo: number | null;
      readonly agentNo: number | null;
      /** Late results said it. */
      readonly isLate: boolean;
      readonly facts: Facts;
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
  | { readonly kind: 'partial'; readonly accountNo: number; readonly deviceNo: number; readonly facts: Facts }
  | {
      readonly kind: 'offline' | 'online' | 'fenced';
      readonly accountNo: number;
      readonly locationNo: number;
      readonly sinceUs: number;
      readonly facts: Facts;
    };

/*
 * What an event means to alerts:
 *
 *   event                                   | change
 *   Down                                    | down: opens device.down; late: a live check decides first
 *   Up                                      | up: ends device.down
 *   Recovered, Unknown                      | touched: the alerts of dependents may wait for it, a Partial may be over
 *   Partial                                 | partial: opens device.partial
 *   Down, Up as a correction                | down, up, as late results say them
 *   MaintEnd while Down                     | maintenance-over: opens device.down where none is open
 *   Changed, paused                         | touched
 *   LocationOffline, LocationOnline         | opens, ends location.offline
 *   AgentFenced                             | opens agent.fenced
 *   Error, Created, MaintStart, Alert…,     | nothing
 *     AgentRevoked                          |
 */

/** The changes that these events mean to alerts. Pure. */
export function changesOf(causes: readonly EventCause[], nowUs: number): AlertChange[] {
  return causes.flatMap((cause) => changeOf(cause, nowUs) ?? []);
}

function changeOf(cause: EventCause, nowUs: number): AlertChange | undefined {
  switch (cause.kind) {
    case 'check':
      return changeOfCheck(cause);
    case 'correction': {
      const { accountNo, deviceNo, status, check } = cause;
      if (status === 'Unknown') return { kind: 'touched', deviceNo };
      const check_id = check === null ? null : checkId({ deviceNo, ...check });
      return {
        kind: status === 'Down' ? 'down' : 'up',
        ...{ accountNo, deviceNo, sinceUs: check?.startUs ?? nowUs },
        ...{ locationNo: null, agentNo: check?.agentNo ?? null, isLate: true },
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
    case 'location-offline': {
      const { accountNo, locationNo, locationName, sinceUs, reason, devices } = cause;
      const facts = { Location: locationName, Devices: devices, CheckResult: reason };
      return { kind: 'offline', accountNo, locationNo, sinceUs, facts };
    }
    case 'location-online': {
      const { accountNo, locationNo, locationName } = cause;
      return { kind: 'online', accountNo, locationNo, sinceUs: nowUs, facts: { Location: locationName } };
    }
    case 'agent-fenced': {
      const { accountNo, locationNo, locationName, agentName, hostNames } = cause;
      const facts = { Location: locationName, Agent: agentName, Hosts: hostNames };
      return { kind: 'fenced', accountNo, locationNo, sinceUs: nowUs, facts };
    }
    case 'agent-revoked':
    case 'maintenance-start':
    case 'device-created':
    case 'alert':
    case 'alert-failed':
    case 'alert-suppressed':
      return undefined;
  }
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
        ...{ accountNo, deviceNo, sinceUs, locationNo, isLate, agentNo: event.cause.agentNo },
        facts: { CheckResult: text, check_id },
      };
    }
    case 'Partial':
      return {
        kind: 'partial',
        ...{ accountNo, deviceNo },
        facts: { CheckResult: event.text, check_id, Locations: failingNames },
      };
    case 'Recovered':
    case 'Unknown':
      return { kind: 'touched', deviceNo };
    case 'Error':
      return undefined;
  }
}
