import type { BaseStatus, Severity } from '@vantage/domain';
import type { AlertEvent, AlertState } from './alert-state.ts';
import type { MasterFacts, RequestedCheck } from './decide-master.ts';
import type { Schedule } from './schedule.ts';

/** The device of an alert as it stands now. */
export interface DeviceFacts {
  readonly enabled: boolean;
  /** By its results, without maintenance and offline Locations. */
  readonly status: BaseStatus;
  /** A Location of it is online. */
  readonly isChecked: boolean;
  /** It fails from some Locations only, three retry sequences in a row or more. */
  readonly isPartial: boolean;
  readonly maintenanceUntilUs: number | null;
  /** An agent can run a requested check of it. */
  readonly canBeChecked: boolean;
  readonly retries: number;
  readonly retryDelayUs: number;
  /** An alert waits at most so long for requested checks of the device, whatever their answers. */
  readonly maxConfirmUs: number;
  readonly master: MasterFacts | null;
  /** The master was Down at some time from `judgedFromUs` on. */
  readonly masterWasDown: boolean;
}

/** The waiting times of alerts, microseconds. */
export interface AlertTimes {
  /** How long a minute of a schedule lasts. */
  readonly minuteUs: number;
  /** Facts of an open alert are read again at least this often. */
  readonly recheckUs: number;
  /** A device that flaps has its final state after this time without a change. */
  readonly quietUs: number;
}

/** The facts that decide about an alert. */
export interface AlertFacts {
  /** `missing`: it was deleted. Null: the alert is not about a device. */
  readonly device: DeviceFacts | 'missing' | null;
  /** The alert is about the device's failures from some Locations only. */
  readonly isAboutPartial: boolean;
  /**
   * The alert is about a device that is slow, or whose certificate expires: nothing but its schedule and maintenance
   * decide about it.
   */
  readonly isWarning: boolean;
  /** The alert is about an offline Location, or an anchor of one, and the Location was deleted. */
  readonly isLocationDeleted: boolean;
  /** The check that `requestId` names. */
  readonly check: RequestedCheck;
  /** `unreadable`: there is one that this version does not understand. */
  readonly schedule: Schedule | 'unreadable' | null;
  readonly severity: Severity;
  /** The reason that the last decision left. */
  readonly reason: string | null;
  readonly acknowledged: boolean;
  readonly snoozedUntilUs: number | null;
  /** The alert is about one moment: it has no repeats and closes with its last step. */
  readonly isMoment: boolean;
  readonly times: AlertTimes;
  readonly nowUs: number;
}

/** One message that is due now, and to whom. */
export interface AlertMessage {
  readonly about: 'opening' | 'end' | 'flapping' | 'acknowledged' | 'closed';
  readonly contactIds: readonly string[];
  /** The step of the schedule by which each of them gets it, from 1; undefined: it comes by no step. */
  readonly stepOf?: ReadonlyMap<string, number>;
}

/** The event that an alert receives now. */
export interface AlertDecision {
  readonly state: AlertState;
  /** When the alert is decided again, unless something happens before. Null: never. */
  readonly dueUs: number | null;
  /** A check to request now; `judgedFromUs` says from when on an existing one will do. */
  readonly request: { readonly of: 'master' | 'device'; readonly notBeforeUs: number } | null;
  readonly messages: readonly AlertMessage[];
  readonly events: readonly AlertEvent[];
  /** Why the alert is as it is now, one line for people. Null: its phase says all. */
  readonly reason: string | null;
  readonly closes: boolean;
  /**
   * Messages to withdraw, as far as nobody tried to send them: all of the alert, or all besides the first one to each
   * contact.
   */
  readonly withdraws: 'all' | 'repeats' | null;
}
