import { type MessageFacts, newAlertState } from '@vantage/alerts';
import { secondUs } from '@vantage/domain';
import { add, type ChangeSet, suppressedEvents, touch } from './change-set.ts';
import type { OpenAlert } from './open-alert.ts';

/** Past outages that late results brought have no messages of their own; one summary per Location names them. */
export function summarize(alert: OpenAlert, endUs: number, changeSet: ChangeSet): void {
  const { nowUs, alerts, events } = changeSet;
  const { accountNo, device, locationNo } = alert;
  const detail = 'the outage was over when its results arrived';
  events.push(...suppressedEvents(alert, [{ kind: 'suppressed', reason: 'late', detail }]));
  if (device === null || locationNo === null) return;
  const { deviceId: device_id, shortName: ShortName, fullName: FullName } = device;
  const outage = { device_id, ShortName, FullName, Start: alert.sinceUs, End: endUs };
  const present = alerts.get(`late.summary/location/${locationNo}`);
  if (present === undefined) {
    const origin = { accountNo, device: null, locationNo, agentNo: null, severity: 'info' as const };
    const state = newAlertState('collecting', nowUs);
    const opening = withOutage({}, outage);
    add({ ...origin, kind: 'late.summary', sinceUs: alert.sinceUs, state, opening }, changeSet);
    return;
  }
  present.opening = withOutage(present.opening, outage);
  if (present.state.phase === 'collecting') present.state = { ...present.state, phaseSinceUs: nowUs };
  touch(present, changeSet);
}

/** A summary names this many outages; the others are counted. */
const summarizedOutages = 50;

/** The facts of a summary of past outages with one more. Since is the start of the earliest outage. Pure. */
export function withOutage(
  { Since, Count, Outages }: MessageFacts,
  outage: {
    readonly Start: number;
    readonly End: number;
    readonly device_id: string;
    readonly ShortName: string;
    readonly FullName: string | null;
  },
): MessageFacts {
  const listed = Array.isArray(Outages) ? Outages : [];
  // A device that is still Down has an alert of its own, after a live check.
  const named = { ...outage, Seconds: Math.floor((outage.End - outage.Start) / secondUs), IsOver: true };
  return {
    Since: Math.min(outage.Start, typeof Since === 'number' ? Since : outage.Start),
    Count: (typeof Count === 'number' ? Count : 0) + 1,
    Outages: listed.length < summarizedOutages ? [...listed, named] : listed,
  };
}
