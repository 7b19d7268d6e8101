import type { Schemas } from '@vantage/client';
import { type Alert, expectedAlerts } from './alerts.ts';
import { api, take } from './api.ts';
import { whileExpecting } from './expect.ts';
import { refreshAlerts } from './overview-facts.ts';

/** The number of alerts that were changed, and of those that the API refused. */
export interface AlertsChanged {
  readonly changed: number;
  readonly refused: number;
}

/** Shows the expected effect at once, and the facts of the API when it has answered. */
function changeAlerts(
  ids: readonly string[],
  facts: Partial<Alert>,
  change: () => Promise<{ readonly Changed: number; readonly Refused: readonly unknown[] }>,
): Promise<AlertsChanged> {
  const expectations = ids.map((id) => ({ id, facts }));
  return whileExpecting(expectedAlerts, expectations, async () => {
    const { Changed, Refused } = await change();
    // The change has been made. If its effect cannot be read now, it arrives with the next event.
    await refreshAlerts().catch(() => {});
    return { changed: Changed, refused: Refused.length };
  });
}

/** Acknowledges alerts with the same note. */
export function acknowledge(ids: readonly string[], note: string): Promise<AlertsChanged> {
  const body = { Alerts: [...ids], Note: note === '' ? null : note };
  return changeAlerts(ids, { State: 'Acknowledged' }, () => take(api.PUT('/alerts/acknowledge', { body })));
}

/** Snoozes alerts for a duration, `01:00`. */
export function snooze(ids: readonly string[], duration: string): Promise<AlertsChanged> {
  const body = { Alerts: [...ids], Duration: duration };
  return changeAlerts(ids, { State: 'Snoozed' }, () => take(api.PUT('/alerts/snooze', { body })));
}

const changedOne = { Changed: 1, Refused: [] };

/** Hands an alert over: it is acknowledged in the name of somebody else. */
export function handOver(alert_id: string, by: string, note: string): Promise<AlertsChanged> {
  const params = { path: { alert_id } };
  const body = { By: by, Note: note === '' ? null : note };
  return changeAlerts([alert_id], { State: 'Acknowledged' }, async () => {
    await take(api.PUT('/alerts/{alert_id}/acknowledge', { params, body }));
    return changedOne;
  });
}

/** Takes an acknowledgement or a snooze back. */
export function reopen(alert_id: string): Promise<AlertsChanged> {
  const params = { path: { alert_id } };
  return changeAlerts([alert_id], { State: 'Open', Acknowledged: null, SnoozedUntil: null }, async () => {
    await take(api.PUT('/alerts/{alert_id}/reopen', { params }));
    return changedOne;
  });
}

type AlertFilterBody = Schemas['AlertFilter'];

/** The number of alerts that a filter means, from the server. */
export async function countAlerts(filter: AlertFilterBody): Promise<number> {
  const body = { Filter: filter, Preview: true };
  return (await take(api.PUT('/alerts/acknowledge', { body }))).Matched;
}

/** Snoozes all alerts that a filter means, for a duration, `01:00`. */
export async function snoozeMatching(filter: AlertFilterBody, duration: string): Promise<number> {
  const body = { Filter: filter, Duration: duration };
  const { Changed } = await take(api.PUT('/alerts/snooze', { body }));
  await refreshAlerts().catch(() => {});
  return Changed;
}

/** Acknowledges all alerts that a filter means. */
export async function acknowledgeMatching(filter: AlertFilterBody, note: string): Promise<number> {
  const body = { Filter: filter, Note: note === '' ? null : note };
  const { Changed } = await take(api.PUT('/alerts/acknowledge', { body }));
  await refreshAlerts().catch(() => {});
  return Changed;
}
