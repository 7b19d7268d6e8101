import type { Schemas } from '@vantage/client';
import { partOf } from '../model/day.ts';
import { naturalKey } from '../model/natural-order.ts';
import { api, takeAnswer } from './api.ts';
import { serverNow } from './clock.ts';
import type { KnownDevice } from './known-device.ts';

const pageSize = 1_000;
const With = ['Tags', 'Locations', 'LastCheck', 'Day'] as const;

/** Changed devices by id; undefined: deleted. */
export type DeviceChanges = ReadonlyMap<string, KnownDevice | undefined>;

/** Changes, and the revision after which the next ones can be read. */
export interface StateChanges {
  readonly changes: DeviceChanges;
  readonly revision: string | undefined;
}

/** The filters of a list of states, and the optional parts of its rows. */
interface StateQuery {
  readonly With?: readonly ('Tags' | 'Locations' | 'LastCheck' | 'Day' | 'Settings')[];
  readonly ChangedSince?: string;
  readonly Search?: string;
  readonly Tag?: readonly string[];
  readonly mschedule_id?: string;
}

async function* statePages(filter: StateQuery) {
  let after: string | undefined;
  do {
    const { With: more, Tag: tags, ...plain } = filter;
    const query = {
      ...plain,
      ...(more === undefined ? {} : { With: [...more] }),
      ...(tags === undefined ? {} : { Tag: [...tags] }),
      Limit: pageSize,
      ...(after === undefined ? {} : { After: after }),
    };
    const { data, revision, hasMore } = await takeAnswer(api.GET('/states', { params: { query } }));
    yield { data, revision };
    after = hasMore ? data.at(-1)?.device_id : undefined;
  } while (after !== undefined);
}

/** All states that match a filter. */
export async function readAllStates(filter: StateQuery): Promise<readonly Schemas['DeviceState'][]> {
  const rows: Schemas['DeviceState'][] = [];
  for await (const { data } of statePages(filter)) rows.push(...data);
  return rows;
}

/** Reads the devices that are Down, at most one page of them. */
export async function readDownStates(): Promise<{
  readonly devices: readonly KnownDevice[];
  readonly isWhole: boolean;
}> {
  const query = { With: [...With], Status: ['Down' as const], Limit: pageSize };
  const { data, hasMore } = await takeAnswer(api.GET('/states', { params: { query } }));
  const part = partOf(serverNow());
  return { devices: data.map((row) => factsOf(row, part)), isWhole: !hasMore };
}

/** Reads all devices, or with `since` those changed after that revision. */
export async function readStates(since: string | undefined): Promise<StateChanges> {
  const changes = new Map<string, KnownDevice | undefined>();
  let revision: string | undefined;
  const filter = { With, ...(since === undefined ? {} : { ChangedSince: since }) };
  for await (const { data, revision: ofPage } of statePages(filter)) {
    const part = partOf(serverNow());
    // A device that changes while the pages are read is also among the next changes.
    revision ??= ofPage;
    for (const row of data) changes.set(row.device_id, row.Gone === true ? undefined : factsOf(row, part));
  }
  return { changes, revision };
}

/** Changed settings by device; undefined: deleted. */
export interface SettingsChanges {
  readonly settings: ReadonlyMap<string, Schemas['DeviceSettings'] | undefined>;
  readonly revision: string | undefined;
}

/** Reads the settings of all devices, or with `since` of those changed after that revision. */
export async function readSettingsSince(since: string | undefined): Promise<SettingsChanges> {
  const settings = new Map<string, Schemas['DeviceSettings'] | undefined>();
  let revision: string | undefined;
  const filter = { With: ['Settings'] as const, ...(since === undefined ? {} : { ChangedSince: since }) };
  for await (const { data, revision: ofPage } of statePages(filter)) {
    revision ??= ofPage;
    for (const row of data) settings.set(row.device_id, row.Gone === true ? undefined : row.Settings);
  }
  return { settings, revision };
}

/** The ids of devices with a text in their URL or names. */
export async function searchDevices(text: string): Promise<ReadonlySet<string>> {
  return new Set((await readAllStates({ Search: text })).map(({ device_id }) => device_id));
}

function factsOf(row: Schemas['DeviceState'], part: number): KnownDevice {
  const shortName = row.ShortName ?? '';
  const name = row.FullName ?? shortName;
  const check = row.LastCheck ?? null;
  return {
    id: row.device_id,
    name,
    shortName,
    method: row.Method ?? '',
    words: `${name}\n${shortName}`.toLowerCase(),
    order: naturalKey(`${name}\n${shortName}`),
    status: row.Status ?? 'Unknown',
    sinceMs: Date.parse(row.StatusSince ?? ''),
    isEnabled: row.Enabled ?? true,
    isRetrying: row.Retrying ?? false,
    maintenanceUntil: row.MaintenanceUntil ?? null,
    downBecause: row.DownBecause ?? null,
    severity: row.Severity ?? 'critical',
    tags: (row.Tags ?? []).map(({ Name }) => Name),
    locations: (row.Locations ?? []).map(({ Name }) => Name),
    lastCheck: check && { at: check.Timestamp, ms: check.RequestTime, isGood: check.ResultCode === 1 },
    day: { letters: row.Day ?? '', part },
  };
}
