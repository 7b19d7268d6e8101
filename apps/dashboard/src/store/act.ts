import type { Expectation } from '../model/expectations.ts';
import { texts } from '../texts/index.ts';
import { expectedDevices, readChanges } from './account-state.ts';
import { type Alert, expectedAlerts } from './alerts.ts';
import { api, take, takeAnswer } from './api.ts';
import { serverNow } from './clock.ts';
import type { DeviceFacts } from './device-facts.ts';
import { whileExpecting } from './expect.ts';
import { ifUnchanged, unchangedDevice } from './if-match.ts';
import { refreshAlerts } from './overview-facts.ts';
import { offerUndo } from './undo.ts';

// Each change is shown at once, and again as the API has it when it answered.

/** How many the API refused, of those that were to be changed. */
export interface Done {
  readonly changed: number;
  readonly refused: number;
}

/** A device that is changed. `etag` is that of the device as it was read: a device that changed since is refused. */
export interface Target {
  readonly id: string;
  readonly name: string;
  readonly etag?: string | undefined;
}

const doneOf = ({ Changed, Refused }: { Changed: number; Refused: readonly unknown[] }): Done => ({
  changed: Changed,
  refused: Refused.length,
});

/** The change is done by then; what cannot be read now comes with the next event. */
const readBack = (read: () => Promise<void>) => read().catch(() => {});

function changeAlerts<Answer>(
  ids: readonly string[],
  facts: Partial<Alert>,
  change: () => Promise<Answer>,
): Promise<Answer> {
  const own: readonly Expectation<Alert>[] = ids.map((id) => ({ id, facts }));
  return whileExpecting(expectedAlerts, own, async () => {
    const answer = await change();
    await readBack(refreshAlerts);
    return answer;
  });
}

function changeDevice<Answer>(
  id: string,
  facts: Partial<DeviceFacts> | undefined,
  change: () => Promise<Answer>,
): Promise<Answer> {
  return whileExpecting(expectedDevices, [{ id, facts }], async () => {
    const answer = await change();
    await readBack(readChanges);
    return answer;
  });
}

/** Acknowledges alerts with one note. */
export function acknowledge(ids: readonly string[], note: string): Promise<Done> {
  const body = { Alerts: [...ids], Note: note === '' ? null : note };
  return changeAlerts(ids, { State: 'Acknowledged' }, async () =>
    doneOf(await take(api.PUT('/alerts/acknowledge', { body }))),
  );
}

/** Snoozes alerts for a time, `01:00`. */
export function snooze(ids: readonly string[], duration: string): Promise<Done> {
  const body = { Alerts: [...ids], Duration: duration };
  return changeAlerts(ids, { State: 'Snoozed' }, async () =>
    doneOf(await take(api.PUT('/alerts/snooze', { body }))),
  );
}

const one = (device_id: string) => ({ params: { path: { device_id } } });

/** Starts maintenance for a time, `01:00`, and offers to end it. */
export async function startMaintenance(target: Target, duration: string, reason: string): Promise<void> {
  const { id, name } = target;
  const body = { Duration: duration, Reason: reason === '' ? null : reason };
  await changeDevice(id, { status: 'Maint', sinceMs: serverNow() }, () =>
    take(api.PUT('/devices/{device_id}/start-maintenance', { ...one(id), body })),
  );
  offerUndo(texts.undo.maintenance(name), () => stopMaintenance(id));
}

export function stopMaintenance(id: string): Promise<void> {
  // Only the controller knows the status behind it.
  return changeDevice(id, {}, async () => {
    await take(api.PUT('/devices/{device_id}/stop-maintenance', one(id)));
  });
}

/** Pauses or resumes a device, and offers to take it back while nobody else has changed the device. */
export async function setEnabled(target: Target, isEnabled: boolean): Promise<void> {
  const { id, name } = target;
  const etag = await changeEnabled(target, isEnabled);
  const words = isEnabled ? texts.undo.resumed(name) : texts.undo.paused(name);
  offerUndo(words, async () => {
    await changeEnabled({ id, name, etag }, !isEnabled);
  });
}

/** Resolves with the ETag of the changed device. */
function changeEnabled({ id, etag }: Target, Enabled: boolean): Promise<string | undefined> {
  const facts = { isEnabled: Enabled, status: 'Unknown', sinceMs: serverNow() } as const;
  const params = unchangedDevice(id, etag);
  return changeDevice(id, facts, () =>
    ifUnchanged(async () => {
      const answer = await takeAnswer(api.PUT('/devices/{device_id}', { params, body: { Enabled } }));
      return answer.etag;
    }),
  );
}

export function removeDevice({ id, etag }: Target): Promise<void> {
  return changeDevice(id, undefined, () =>
    ifUnchanged(async () => {
      await take(api.DELETE('/devices/{device_id}', { params: unchangedDevice(id, etag) }));
    }),
  );
}
