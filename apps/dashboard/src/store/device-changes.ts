import type { Schemas } from '@vantage/client';
import { snoozeDuration } from '../model/snooze-until.ts';
import { frameTexts } from '../texts/frame-texts.ts';
import { expectedDevices, readChanges } from './account-state.ts';
import { api, take, takeAnswer } from './api.ts';
import { serverNow } from './clock.ts';
import { whileExpecting } from './expect.ts';
import { ifUnchanged, unchangedDevice } from './if-match.ts';
import type { KnownDevice } from './known-device.ts';
import { offerUndo } from './undo.ts';

/** A device to change. With the `etag` it was read with, the change is refused if the device has changed since. */
export interface DeviceToChange {
  readonly id: string;
  readonly name: string;
  readonly etag?: string | undefined;
}

/** Shows the expected effect at once, and the facts of the API when it has answered. */
function changeDevice<Answer>(
  id: string,
  facts: Partial<KnownDevice> | undefined,
  change: () => Promise<Answer>,
): Promise<Answer> {
  return whileExpecting(expectedDevices, [{ id, facts }], async () => {
    const answer = await change();
    // The change has been made. If its effect cannot be read now, it arrives with the next event.
    await readChanges().catch(() => {});
    return answer;
  });
}

const paramsOf = (device_id: string) => ({ params: { path: { device_id } } });

/** Starts maintenance for a duration, `01:00`, and offers to end it. */
export async function startMaintenance(
  device: DeviceToChange,
  duration: string,
  reason: string,
): Promise<void> {
  const { id, name } = device;
  await startWindow(id, duration, reason === '' ? null : reason);
  offerUndo(frameTexts.undo.maintenance(name), () => stopMaintenance(id));
}

async function startWindow(id: string, Duration: string, Reason: string | null): Promise<void> {
  await changeDevice(id, { status: 'Maint', sinceMs: serverNow() }, () =>
    take(api.PUT('/devices/{device_id}/start-maintenance', { ...paramsOf(id), body: { Duration, Reason } })),
  );
}

/**
 * Ends maintenance, and offers to start it again until it would have ended, with the same reason. The next windows of a
 * schedule stay as they are.
 */
export async function endMaintenance({ id, name }: DeviceToChange): Promise<void> {
  // The rows on the screen may be older than the window.
  const before = await take(api.GET('/devices/{device_id}', paramsOf(id)));
  const untilMs = Date.parse(before.MaintenanceUntil ?? '');
  await stopMaintenance(id);
  offerUndo(frameTexts.undo.maintenanceEnded(name), async () => {
    const duration = snoozeDuration(untilMs, serverNow());
    if (duration !== undefined) await startWindow(id, duration, before.Maintenance[0]?.Reason ?? null);
  });
}

function stopMaintenance(id: string): Promise<void> {
  // Only the controller knows the status that follows.
  return changeDevice(id, {}, async () => {
    await take(api.PUT('/devices/{device_id}/stop-maintenance', paramsOf(id)));
  });
}

/** Requests a check of the device now. Resolves with its result in words. */
export async function checkNow(id: string): Promise<string> {
  const { CheckResult } = await take(api.POST('/devices/{device_id}/check', paramsOf(id)));
  return CheckResult;
}

/** Pauses or resumes a device, and offers an undo, which is refused if the device has changed meanwhile. */
export async function setEnabled(device: DeviceToChange, isEnabled: boolean): Promise<void> {
  const { id, name } = device;
  const etag = await changeEnabled(device, isEnabled);
  const words = isEnabled ? frameTexts.undo.resumed(name) : frameTexts.undo.paused(name);
  offerUndo(words, async () => {
    await changeEnabled({ id, name, etag }, !isEnabled);
  });
}

/** Resolves with the ETag of the changed device. */
function changeEnabled({ id, name, etag }: DeviceToChange, Enabled: boolean): Promise<string | undefined> {
  const facts = { isEnabled: Enabled, status: 'Unknown', sinceMs: serverNow() } as const;
  return putSettings({ id, name, etag }, facts, { Enabled });
}

/** Resolves with the ETag of the changed device. `facts` are the expected effect in lists. */
function putSettings(
  { id, etag }: DeviceToChange,
  facts: Partial<KnownDevice>,
  settings: ChangedSettings,
): Promise<string | undefined> {
  const params = unchangedDevice(id, etag);
  // The API validates the settings by the Method of the device.
  const body = settings as Schemas['DeviceUpdate'];
  return changeDevice(id, facts, () =>
    ifUnchanged(async () => (await takeAnswer(api.PUT('/devices/{device_id}', { params, body }))).etag),
  );
}

/** Settings that are changed one by one. A text that is no number is sent, so that the API explains what it accepts. */
export interface ChangedSettings {
  readonly Enabled?: boolean;
  readonly Frequency?: number;
  readonly FrequencySeconds?: number | null;
  readonly Timeout?: number | string;
  readonly Attempts?: number | string;
  readonly Severity?: string;
}

/** Changes settings, and offers to restore `before`. Both are refused if the device has changed meanwhile. */
export async function changeSettings(
  device: DeviceToChange,
  settings: ChangedSettings,
  before: ChangedSettings,
): Promise<void> {
  const { id, name } = device;
  const etag = await putSettings(device, {}, settings);
  offerUndo(frameTexts.undo.changed(name), async () => {
    await putSettings({ id, name, etag }, {}, before);
  });
}

export function removeDevice({ id, etag }: DeviceToChange): Promise<void> {
  return changeDevice(id, undefined, () =>
    ifUnchanged(async () => {
      await take(api.DELETE('/devices/{device_id}', { params: unchangedDevice(id, etag) }));
    }),
  );
}
