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
  const body = { Duration: duration, Reason: reason === '' ? null : reason };
  await changeDevice(id, { status: 'Maint', sinceMs: serverNow() }, () =>
    take(api.PUT('/devices/{device_id}/start-maintenance', { ...paramsOf(id), body })),
  );
  offerUndo(frameTexts.undo.maintenance(name), () => stopMaintenance(id));
}

export function stopMaintenance(id: string): Promise<void> {
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
function changeEnabled({ id, etag }: DeviceToChange, Enabled: boolean): Promise<string | undefined> {
  const facts = { isEnabled: Enabled, status: 'Unknown', sinceMs: serverNow() } as const;
  const params = unchangedDevice(id, etag);
  return changeDevice(id, facts, () =>
    ifUnchanged(async () => {
      const answer = await takeAnswer(api.PUT('/devices/{device_id}', { params, body: { Enabled } }));
      return answer.etag;
    }),
  );
}

export function removeDevice({ id, etag }: DeviceToChange): Promise<void> {
  return changeDevice(id, undefined, () =>
    ifUnchanged(async () => {
      await take(api.DELETE('/devices/{device_id}', { params: unchangedDevice(id, etag) }));
    }),
  );
}
