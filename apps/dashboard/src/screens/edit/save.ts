import type { Schemas } from '@vantage/client';
import { api, take } from '../../store/api.ts';
import { ifUnchanged, unchangedDevice } from '../../store/if-match.ts';
import { createTags } from '../../store/tags.ts';
import { texts } from '../../texts/index.ts';
import { bodyOf, type Draft, tagNames } from './draft.ts';

/**
 * Stores the draft, and the tags that it names for the first time. Returns the device's id. `etag` is that of the
 * device as it was read.
 */
export async function save(
  draft: Draft,
  device: Schemas['Device'] | undefined,
  etag: string | undefined,
): Promise<string> {
  await createTags(tagNames(draft.tags));
  if (device === undefined) {
    // The API judges the body by its Method; the form is made of the same schema.
    const body = bodyOf(draft) as Schemas['DeviceCreate'];
    return (await take(api.POST('/devices', { body }))).device_id;
  }
  const { device_id } = device;
  const body = bodyOf(draft) as Schemas['DeviceUpdate'];
  const params = unchangedDevice(device_id, etag);
  await ifUnchanged(() => take(api.PUT('/devices/{device_id}', { params, body })), texts.edit.conflict);
  return device_id;
}
