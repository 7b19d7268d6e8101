import type { Schemas } from '@vantage/client';
import { api, take } from '../../store/api.ts';
import { ifUnchanged, unchangedDevice } from '../../store/if-match.ts';
import { texts } from '../../texts.ts';
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

/** Creates those of these tags that are not there. */
export async function createTags(names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const known = new Set<string>();
  for (let Offset = 0; ; Offset += 100) {
    const page = await take(api.GET('/tags', { params: { query: { Limit: 100, Offset } } }));
    for (const { Name } of page) known.add(Name.toLowerCase());
    if (page.length < 100) break;
  }
  for (const Name of names)
    if (!known.has(Name.toLowerCase())) await take(api.POST('/tags', { body: { Name } }));
}
