import type { AlertDecision, AlertedDevice, AlertFacts } from '../alert-facts.ts';
import { newAlertState } from '../alert-state.ts';
import type { MasterFacts } from '../decide-master.ts';
import type { Schedule } from '../schedule.ts';

export const minute = 60_000_000;
export const nowUs = 10_000 * minute;
export const everybody: Schedule = {
  timezone: 'UTC',
  steps: [
    {
      delayMinutes: 0,
      contactIds: ['a'],
      days: null,
      from: null,
      to: null,
      repeatMinutes: null,
      severities: null,
    },
  ],
};
export const device: AlertedDevice = {
  enabled: true,
  status: 'Down',
  isChecked: true,
  maintenanceUntilUs: null,
  canBeChecked: true,
  isPartial: false,
  retries: 1,
  retryDelayUs: 10_000_000,
  maxConfirmUs: 20 * minute,
  master: null,
  masterWasDown: false,
};
export const master: MasterFacts = {
  name: 'gw',
  enabled: true,
  status: 'Up',
  retrying: false,
  inMaintenance: false,
  isCheckedHere: true,
  canBeChecked: true,
  retries: 1,
  retryDelayUs: 10_000_000,
  maxSequenceUs: 5 * minute,
};
const times = { minuteUs: minute, recheckUs: minute, quietUs: 30 * minute };
export const base: AlertFacts = {
  device,
  check: { kind: 'none' },
  schedule: everybody,
  severity: 'critical',
  reason: null,
  acknowledged: false,
  snoozedUntilUs: null,
  isMoment: false,
  times,
  nowUs,
  isAboutPartial: false,
  isWarning: false,
  isLocationDeleted: false,
};
export const deviceUp: AlertFacts = { ...base, device: { ...device, status: 'Up' } };
/** The present outage ends. */
export const upNow = { sinceUs: nowUs - 3 * minute, upUs: nowUs, nowUs };
export const judging = { ...newAlertState('judging', nowUs, nowUs - minute), requestId: 'r' };

/** A decision in one line. */
export function outcome({ state, request, messages, events, closes }: AlertDecision): string {
  const sent = messages.map(({ about, contactIds }) => `${about}>${contactIds.join('+')}`);
  const made = events.map((event) => (event.kind === 'alert' ? `alert(${event.note ?? ''})` : event.reason));
  return [
    state.phase,
    ...(request ? [`check ${request.target}`] : []),
    ...made,
    ...sent,
    ...(closes ? ['closed'] : []),
  ].join(' ');
}
