import { api, take } from './api.ts';
import { readAlerts, readChanges } from './facts.ts';

/** How many the API refused, of those that were to be changed. */
export interface Done {
  readonly changed: number;
  readonly refused: number;
}

const doneOf = ({ Changed, Refused }: { Changed: number; Refused: readonly unknown[] }): Done => ({
  changed: Changed,
  refused: Refused.length,
});

/** Acknowledges alerts with one note. */
export async function acknowledge(ids: readonly string[], note: string): Promise<Done> {
  const body = { Alerts: [...ids], Note: note === '' ? null : note };
  const done = await take(api.PUT('/alerts/acknowledge', { body }));
  await readAlerts();
  return doneOf(done);
}

/** Snoozes alerts for a time, `01:00`. */
export async function snooze(ids: readonly string[], duration: string): Promise<Done> {
  const done = await take(api.PUT('/alerts/snooze', { body: { Alerts: [...ids], Duration: duration } }));
  await readAlerts();
  return doneOf(done);
}

const one = (device_id: string) => ({ params: { path: { device_id } } });

/** Starts maintenance for a time. */
export async function startMaintenance(id: string, duration: string, reason: string): Promise<void> {
  const body = { Duration: duration, Reason: reason === '' ? null : reason };
  await take(api.PUT('/devices/{device_id}/start-maintenance', { ...one(id), body }));
  await readChanges();
}

export async function stopMaintenance(id: string): Promise<void> {
  await take(api.PUT('/devices/{device_id}/stop-maintenance', one(id)));
  await readChanges();
}

/** Pauses or resumes a device. */
export async function setEnabled(id: string, isEnabled: boolean): Promise<void> {
  await take(api.PUT('/devices/{device_id}', { ...one(id), body: { Enabled: isEnabled } }));
  await readChanges();
}

export async function removeDevice(id: string): Promise<void> {
  await take(api.DELETE('/devices/{device_id}', one(id)));
  await readChanges();
}
