import type { Schemas } from '@vantage/client';
import { partsOf } from '../model/bulk-change.ts';
import { ApiProblem, api, take } from './api.ts';
import type { Mschedule } from './maintenance-schedules.ts';
import { readAllStates } from './read-states.ts';

/** Ends maintenance that is running, or cancels it if it is planned. */
export async function endMaintenance(maintenance_id: string): Promise<void> {
  await take(api.DELETE('/maintenance/{maintenance_id}', { params: { path: { maintenance_id } } }));
}

/** The devices for which a window is planned. */
export type MaintenanceTarget =
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'devices'; readonly ids: readonly string[] }
  | { readonly kind: 'schedule'; readonly schedule: Mschedule };

const pageSize = 100;
const notFound = 1003;

async function tagIdOf(name: string): Promise<string> {
  for (let Offset = 0; ; Offset += pageSize) {
    const query = { Limit: pageSize, Offset };
    const page = await take(api.GET('/tags', { params: { query } }));
    const found = page.find(({ Name }) => Name === name);
    if (found !== undefined) return found.tag_id;
    if (page.length < pageSize) throw new ApiProblem(notFound, `The tag ${name} no longer exists.`);
  }
}

/** Changes all devices that a filter matches: first the preview, then the change with the preview's token. */
export async function changeMatchingDevices(
  body: Omit<Schemas['BulkChange'], 'Delete' | 'Preview' | 'Token'>,
): Promise<Schemas['BulkChangeOutcome']> {
  const change = { ...body, Delete: false };
  const { Token } = await take(api.POST('/devices/change', { body: change }));
  // With a key that is limited to tags, each request does a part.
  for (;;) {
    const outcome = await take(api.POST('/devices/change', { body: { ...change, Token } }));
    if (outcome.Done) return outcome;
  }
}

/** A request names a limited number of devices; each request is a window. */
async function planForDevices(
  ids: readonly string[],
  body: NonNullable<Schemas['BulkChange']['Maintenance']>,
): Promise<void> {
  const [device_id] = ids;
  if (device_id !== undefined && ids.length === 1) {
    await take(api.PUT('/devices/{device_id}/start-maintenance', { params: { path: { device_id } }, body }));
    return;
  }
  for (const part of partsOf({ ids, change: {} }))
    await changeMatchingDevices({ Filter: { Devices: [...part.ids] }, Maintenance: body });
}

/** Starts maintenance, or plans it. */
export async function planMaintenance(
  target: MaintenanceTarget,
  { start, duration, reason }: { readonly start: string; readonly duration: string; readonly reason: string },
): Promise<void> {
  const body = {
    Duration: duration,
    Reason: reason === '' ? null : reason,
    Start: start === '' ? null : `${start}:00`,
  };
  switch (target.kind) {
    case 'devices':
      await planForDevices(target.ids, body);
      return;
    case 'tag': {
      const params = { path: { tag_id: await tagIdOf(target.tag) } };
      await take(api.PUT('/tags/{tag_id}/start-maintenance', { params, body }));
      return;
    }
    case 'schedule': {
      const Filter = { mschedule_id: target.schedule.mschedule_id };
      await changeMatchingDevices({ Filter, Maintenance: body });
    }
  }
}

/** The ids of the devices that have this maintenance schedule. */
export async function readScheduleDevices(mschedule_id: string): Promise<readonly string[]> {
  return (await readAllStates({ mschedule_id })).map(({ device_id }) => device_id);
}
