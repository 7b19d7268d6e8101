import type { Schemas } from '@vantage/client';
import { ApiProblem, api, take, takeAnswer } from '../../store/api.ts';
import { unchangedDevice } from '../../store/if-match.ts';
import { notePushAddress } from '../../store/push-addresses.ts';
import { readTagNames } from '../../store/tags.ts';
import { type DeviceDraft, deviceBody } from './device-draft.ts';

/** A stored device as the form read it. */
export interface StoredDevice {
  readonly device: Schemas['Device'];
  readonly etag: string | undefined;
}

export async function readDevice(device_id: string): Promise<StoredDevice> {
  const { data, etag } = await takeAnswer(
    api.GET('/devices/{device_id}', { params: { path: { device_id } } }),
  );
  return { device: data, etag };
}

const conflict = 1005;

/** Another person changed the device after the form read it. `now`: the device with their changes. */
export class ChangedDevice extends Error {
  readonly now: StoredDevice;

  constructor(now: StoredDevice) {
    super();
    this.now = now;
  }
}

/** The refusal of an atomic batch: that of its last operation. */
function refusalOf(problem: Schemas['Problem']): ApiProblem {
  const results = 'Results' in problem && Array.isArray(problem.Results) ? problem.Results : [];
  const last = results.at(-1) as Schemas['OperationResult'] | undefined;
  const { code, message, errors } = {
    ...problem,
    ...(last?.Body as Partial<Schemas['Problem']> | undefined),
  };
  return new ApiProblem(code, message, errors);
}

/** The answer to a new device. */
interface MadeDevice {
  readonly device_id: string;
  readonly PushURL?: string | undefined;
}

/** The address of a Push device is shown on its screen, which opens next. */
function noteMade({ device_id, PushURL }: MadeDevice): void {
  if (PushURL !== undefined) notePushAddress(device_id, PushURL);
}

/** Creates tags and stores the device in one transaction, so that a device that is refused leaves no tags behind. */
async function storeWithTags(
  draft: DeviceDraft,
  stored: StoredDevice | undefined,
  tags: readonly string[],
): Promise<string> {
  const Body = deviceBody(draft);
  const IfMatch = stored?.etag;
  const Operations = [
    ...tags.map((Name) => ({ Method: 'POST', Path: '/tags', Body: { Name } })),
    stored === undefined
      ? { Method: 'POST', Path: '/devices', Body }
      : {
          Method: 'PUT',
          Path: `/devices/${stored.device.device_id}`,
          Body,
          ...(IfMatch !== undefined && { IfMatch }),
        },
  ];
  // Each Body is the body of its own request, which the document cannot express for all of them.
  const { data, error } = await api.POST('/batch', {
    body: { Atomic: true, Operations: Operations as never },
  });
  if (data === undefined) throw refusalOf(error);
  const made = data.Results.at(-1)?.Body as MadeDevice | undefined;
  if (stored === undefined && made !== undefined) noteMade(made);
  return stored?.device.device_id ?? made?.device_id ?? '';
}

async function store(draft: DeviceDraft, stored: StoredDevice | undefined): Promise<string> {
  if (draft.tags.length > 0) {
    const known = new Set((await readTagNames()).map((name) => name.toLowerCase()));
    const fresh = draft.tags.filter((name) => !known.has(name.toLowerCase()));
    if (fresh.length > 0) return await storeWithTags(draft, stored, fresh);
  }
  // The API validates the body by its Method; the form is built from the same schema.
  if (stored === undefined) {
    const body = deviceBody(draft) as Schemas['DeviceCreate'];
    const made = await take(api.POST('/devices', { body }));
    noteMade(made);
    return made.device_id;
  }
  const { device_id } = stored.device;
  const body = deviceBody(draft) as Schemas['DeviceUpdate'];
  await take(api.PUT('/devices/{device_id}', { params: unchangedDevice(device_id, stored.etag), body }));
  return device_id;
}

/**
 * Stores the draft and its new tags. Resolves with the device's id. Throws a `ChangedDevice` if someone else changed
 * the device after it was read.
 */
export async function saveDevice(draft: DeviceDraft, stored: StoredDevice | undefined): Promise<string> {
  try {
    return await store(draft, stored);
  } catch (error) {
    const isConflict = error instanceof ApiProblem && error.code === conflict && error.fields.length === 0;
    if (!isConflict || stored === undefined) throw error;
    const now = await readDevice(stored.device.device_id);
    // The same ETag: something else was refused.
    throw now.etag === stored.etag ? error : new ChangedDevice(now);
  }
}
