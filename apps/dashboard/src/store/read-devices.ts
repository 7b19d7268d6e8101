import type { Schemas } from '@vantage/client';
import { ApiProblem, api, take } from './api.ts';
import type { DeviceFacts } from './facts.ts';

const pageSize = 100;
const notFound = 1003;

/** Reads all devices, page by page. */
export async function readDevices(onPage: (page: readonly DeviceFacts[]) => void): Promise<void> {
  let after: string | undefined;
  for (;;) {
    const query = after === undefined ? { Limit: pageSize } : { Limit: pageSize, After: after };
    const page = await take(api.GET('/devices', { params: { query } }));
    onPage(page.map(factsOf));
    if (page.length < pageSize) return;
    after = page.at(-1)?.device_id;
  }
}

const mostTags = 200;
const together = 4;

/** Reads the tags of all devices: their names by device. A list of devices does not have them. */
export async function readTags(): Promise<ReadonlyMap<string, readonly string[]>> {
  const waiting: Schemas['TagEntry'][] = [];
  for (let Offset = 0; Offset < mostTags; Offset += pageSize) {
    const page = await take(api.GET('/tags', { params: { query: { Limit: pageSize, Offset } } }));
    waiting.push(...page);
    if (page.length < pageSize) break;
  }
  const tags = new Map<string, string[]>();
  const work = async () => {
    for (let tag = waiting.pop(); tag !== undefined; tag = waiting.pop()) {
      const { tag_id } = tag;
      const { Name, Devices } = await take(api.GET('/tags/{tag_id}', { params: { path: { tag_id } } }));
      for (const { device_id } of Devices) tags.set(device_id, [...(tags.get(device_id) ?? []), Name].sort());
    }
  };
  await Promise.all(Array.from({ length: together }, work));
  return tags;
}

/** Reads one device; undefined when it is gone. */
export async function readDevice(device_id: string): Promise<DeviceFacts | undefined> {
  try {
    const device = await take(api.GET('/devices/{device_id}', { params: { path: { device_id } } }));
    return { ...factsOf(device), tags: device.Tags.map(({ Name }) => Name) };
  } catch (error) {
    if (error instanceof ApiProblem && error.code === notFound) return undefined;
    throw error;
  }
}

function factsOf(entry: Schemas['DeviceEntry']): DeviceFacts {
  return {
    id: entry.device_id,
    name: entry.FullName ?? entry.ShortName,
    shortName: entry.ShortName,
    method: entry.Method,
    url: entry.URL,
    status: entry.Status,
    sinceMs: Date.parse(entry.StatusSince),
    isEnabled: entry.Enabled,
    isRetrying: entry.Retrying,
    maintenanceUntil: entry.MaintenanceUntil,
    downBecause: entry.DownBecause,
    lastResult: entry.LastCheckResult,
    severity: entry.Severity,
    tags: [],
  };
}
