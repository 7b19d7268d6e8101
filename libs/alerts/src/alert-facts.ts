import type { BaseStatus, Severity } from '@vantage/domain';
import type { AlertEvent, AlertState } from './alert-state.ts';
import type { MasterFacts, RequestedCheck } from './decide-master.ts';
import type { Schedule } from './schedule.ts';

/** The present state of an alert's device. */
export interface AlertedDevice {
  readonly enabled: boolean;
  /** By its results, without maintenance and offline Locations. */
  readonly status: BaseStatus;
  /** One of its Locations is online. */
  readonly isChecked: boolean;
  /** It fails from some Locations only, in three consecutive retry sequences or more. */
  readonly isPartial: boolean;
  readonly maintenanceUntilUs: number | null;
  /** An agent can run a requested check of it. */
  readonly canBeChecked: boolean;
  readonly retries: number;
  readonly retryDelayUs: number;
  /** The maximum time for which an alert waits for requested checks of the device, whatever their answers. */
  readonly maxConfirmUs: number;
  readonly master: MasterFacts | null;
  /** The master was Down at some time from `judgedFromUs` on. */
  readonly masterWasDown: boolean;
}

export interface AlertTimes {
  /** The duration of a minute of a schedule; tests shorten it. */
  readonly minuteUs: number;
  /** The maximum time between two decisions of an open alert. */
  readonly recheckUs: number;
  /** A flapping device is in its final state after this time without a change. */
  readonly quietUs: number;
}

/** The facts that decide about an alert. */
export interface AlertFacts {
  /** `missing`: it was deleted. Null: the alert is not about a device. */
  readonly device: AlertedDevice | 'missing' | null;
  /** The alert is about the device's failures from some Locations only. */
  readonly isAboutPartial: boolean;
  /**
   * The device is slow, its certificate expires, or an interface is down: only schedule and maintenance decide about
   * the alert.
   */
  readonly isWarning: boolean;
  /** The alert is about an offline Location, or an anchor of one, and the Location was deleted. */
  readonly isLocationDeleted: boolean;
  /** The check that `requestId` names. */
  readonly check: RequestedCheck;
  /** `unreadable`: this version does not understand it. */
  readonly schedule: Schedule | 'unreadable' | null;
  readonly severity: Severity;
  /** The reason in the last decision. */
  readonly reason: string | null;
  readonly acknowledged: boolean;
  readonly snoozedUntilUs: number | null;
  /** The alert is about one moment: it has no repeats and closes with its last step. */
  readonly isMoment: boolean;
  readonly times: AlertTimes;
  readonly nowUs: number;
}

/** A message that is due now, with its contacts. */
export interface AlertMessage {
  readonly about: 'opening' | 'end' | 'flapping' | 'acknowledged' | 'closed';
  readonly contactIds: readonly string[];
  /** The step of the schedule that notifies each contact, from 1; undefined: no step causes the message. */
  readonly stepOf?: ReadonlyMap<string, number>;
}

/** The decision on an alert now. */
export interface AlertDecision {
  readonly state: AlertState;
  /** The time of the next decision, unless an event comes first. Null: never. */
  readonly dueUs: number | null;
  /** A check to request now. An existing check since `judgedFromUs` suffices. */
  readonly request: { readonly target: 'master' | 'device'; readonly notBeforeUs: number } | null;
  readonly messages: readonly AlertMessage[];
  readonly events: readonly AlertEvent[];
  /** The reason for the present state, a line for people. Null: the phase suffices. */
  readonly reason: string | null;
  readonly closes: boolean;
  /** Unattempted messages to withdraw: all of the alert, or all except the first one to each contact. */
  readonly withdraws: 'all' | 'repeats' | null;
}
