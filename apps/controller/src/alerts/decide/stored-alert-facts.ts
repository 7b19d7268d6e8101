import {
  type AlertedDevice,
  type AlertFacts,
  type AlertKind,
  type AlertState,
  type AlertTimes,
  alertKinds,
  alertPhases,
  flappingWindowUs,
  kindsOfLocation,
  type MessageFacts,
  momentKinds,
  newAlertState,
  type RequestedCheck,
  type Schedule,
} from '@vantage/alerts';
import {
  clampAhead,
  minuteUs,
  type Severity,
  secondUs,
  severities,
  timeoutsUntilAnswer,
} from '@vantage/domain';
import { maxWaitUs } from '@vantage/storage';
import { z } from 'zod';
import type { TimeScale } from '../../config/time-scale.ts';
import type { DueAlert } from './due-store.ts';
import type { SubjectRow } from './subject-store.ts';

const us = z.number();
/** Times of results may be ahead by this. */
const aheadUs = 6 * minuteUs;

/** The schema of `alerts.state`. A field that an earlier version did not write has its value of a new alert. */
const storedState = z.object({
  phase: z.enum(alertPhases),
  phaseSinceUs: us,
  judgedFromUs: us,
  requestId: z.string().nullable(),
  failedChecks: z.int(),
  ownChecks: z.enum(['none', 'one', 'sequence']),
  judgeAgainUs: us.nullable(),
  activeUs: us.nullable(),
  steps: z.array(z.object({ firstUs: us, lastUs: us, step: z.string().optional() }).nullable()),
  notified: z.array(z.string()),
  announcesFlapping: z.boolean(),
  // Earlier versions did not store these fields.
  countsFromUs: us.nullable().default(null),
  note: z.string().nullable().default(null),
  past: z.array(z.object({ activeUs: us, sinceUs: us, upUs: us })).default([]),
  heardElsewhere: z.array(z.string()).default([]),
  flapping: z
    .object({
      sinceUs: us,
      outages: z.int(),
      downUs: us,
      downSinceUs: us.nullable(),
      saidDownUs: z.record(z.string(), us).default({}),
    })
    .nullable()
    .default(null),
  closedElsewhere: z.boolean().default(false),
  announcedAcknowledgement: z.boolean().default(false),
  suppressions: z.array(z.enum(['master', 'maintenance', 'schedule', 'late', 'flapping'])),
});

/**
 * Reads a stored state. One that cannot be read starts again as `judging`, so that no alert is lost. Its times have
 * passed, unless they were stored by a clock that was ahead.
 */
export function readAlertState(stored: unknown, nowUs: number): AlertState {
  const parsed = storedState.safeParse(stored);
  if (!parsed.success) return newAlertState('judging', nowUs);
  const state = parsed.data;
  const passed = (at: number) => clampAhead(at, nowUs, aheadUs);
  const passedIf = (at: number | null) => (at === null ? null : passed(at));
  return {
    ...state,
    phaseSinceUs: passed(state.phaseSinceUs),
    judgedFromUs: passed(state.judgedFromUs),
    judgeAgainUs: state.judgeAgainUs === null ? null : clampAhead(state.judgeAgainUs, nowUs, maxWaitUs),
    activeUs: passedIf(state.activeUs),
    countsFromUs: passedIf(state.countsFromUs),
    steps: state.steps.map(
      (step) => step && { ...step, firstUs: passed(step.firstUs), lastUs: passed(step.lastUs) },
    ),
    flapping: state.flapping && {
      ...state.flapping,
      sinceUs: passed(state.flapping.sinceUs),
      downSinceUs: passedIf(state.flapping.downSinceUs),
      saidDownUs: mapValues(state.flapping.saidDownUs, passed),
    },
  };
}

function mapValues(values: Readonly<Record<string, number>>, of: (value: number) => number) {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, of(value)]));
}

const storedPast = storedState.shape.past;

/** Reads the earlier outages of a stored state; a state that cannot be read has none. */
export function readPast(stored: unknown): AlertState['past'] {
  return storedPast.safeParse(stored).data ?? [];
}

/** Reads stored facts; a value that is no object counts as an empty one. */
export function readFacts(stored: unknown): MessageFacts {
  const parsed = z.record(z.string(), z.json()).safeParse(stored);
  return parsed.success ? parsed.data : {};
}

/** Reads a stored kind; undefined for one of a later version. */
export function readKind(stored: string): AlertKind | undefined {
  return alertKinds.find((kind) => kind === stored);
}

/** Reads a stored severity; an unknown one counts as the worst. */
export function readSeverity(stored: string): Severity {
  return severities.find((severity) => severity === stored) ?? 'critical';
}

/** The waiting times of this step, microseconds. */
export interface StepTimes extends AlertTimes {
  /** An answer may take this much longer than its Timeout. */
  readonly graceUs: number;
  /** A contact that cannot be reached for this time has an alert. */
  readonly failingUs: number;
  /** The length of a RetryDelay of this many seconds. */
  readonly retryDelayUs: (seconds: number) => number;
}

const warningKinds: ReadonlySet<string> = new Set(['device.slow', 'certificate.expiring', 'interface.down']);

/** The facts that decide about an alert, from rows of the database. Pure. */
export function toFacts(
  alert: DueAlert,
  read: {
    readonly subject: SubjectRow | undefined;
    readonly schedule: Schedule | 'unreadable' | null;
    readonly check: RequestedCheck;
    /** The Location of the failure, or the one that the alert is about. */
    readonly location: { readonly isDeleted: boolean } | null;
    readonly times: StepTimes;
    readonly nowUs: number;
  },
): AlertFacts {
  const { subject, schedule, check, location, times, nowUs } = read;
  return {
    device: alert.device_no === null ? null : subject === undefined ? 'missing' : deviceFacts(subject, times),
    check,
    schedule,
    severity: readSeverity(alert.severity),
    times,
    nowUs,
    reason: alert.reason,
    acknowledged: alert.acknowledged_us !== null,
    snoozedUntilUs: alert.snoozed_until_us,
    isAboutPartial: alert.kind === 'device.partial',
    isWarning: warningKinds.has(alert.kind),
    isLocationDeleted: kindsOfLocation.has(alert.kind) && location?.isDeleted === true,
    isMoment: momentKinds.has(alert.kind),
  };
}

function deviceFacts(subject: SubjectRow, { graceUs, recheckUs, retryDelayUs }: StepTimes): AlertedDevice {
  const delayUs = retryDelayUs(subject.masterRetryDelayS);
  const answerUs =
    retryDelayUs(subject.retryDelayS) + timeoutsUntilAnswer * subject.timeoutS * secondUs + 2 * graceUs;
  return {
    enabled: subject.enabled,
    status: subject.status,
    isChecked: subject.isChecked,
    isPartial: subject.isPartial,
    maintenanceUntilUs: subject.maintenanceUntilUs,
    canBeChecked: subject.canBeChecked,
    retries: subject.retries,
    retryDelayUs: retryDelayUs(subject.retryDelayS),
    // Twice its sequence: the Locations take turns, and one may decide nothing.
    maxConfirmUs: 2 * (subject.retries + 2) * Math.max(answerUs, recheckUs),
    masterWasDown: subject.masterWasDown,
    master:
      subject.masterNo === null
        ? null
        : {
            name: subject.masterName,
            enabled: subject.masterEnabled,
            status: subject.masterStatus,
            retrying: subject.masterRetrying,
            inMaintenance: subject.masterInMaintenance,
            isCheckedHere: subject.masterIsCheckedHere,
            canBeChecked: subject.masterCanBeChecked,
            retries: subject.masterRetries,
            retryDelayUs: delayUs,
            maxSequenceUs:
              (subject.masterRetries + 2) * (delayUs + subject.masterTimeoutS * secondUs + 2 * graceUs),
          },
  };
}

/** The waiting times at a time scale. A time in which a network answer must arrive stays at least a second. */
export function createAlertTimes(timeScale: TimeScale): StepTimes {
  return {
    minuteUs: timeScale(minuteUs),
    recheckUs: timeScale(30 * secondUs, secondUs),
    failingUs: timeScale(30 * minuteUs),
    quietUs: timeScale(flappingWindowUs),
    graceUs: timeScale(5 * secondUs, secondUs),
    retryDelayUs: (seconds) => timeScale(seconds * secondUs),
  };
}
