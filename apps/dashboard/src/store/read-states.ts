import type { Schemas } from '@vantage/client';
import { partOf } from '../model/day.ts';
import { naturalKey } from '../model/natural-order.ts';
import { api, takeAnswer } from './api.ts';
import { serverNow } from './clock.ts';
import type { KnownDevice } from './known-device.ts';

const pageSize = 1_000;
/** Rows of the answer with names and states of all devices. An account has one such answer at one time. */
const plainPageSize = 10_000;
/** Pages of parts that are read at the same time. */
const maxAtOnce = 3;
/** The devices that are Down in the first picture: more would delay all others on a slow connection. */
const maxEarly = 100;
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

async function* statePages(
  filter: StateQuery,
  { from, Limit = pageSize }: { readonly from?: string | undefined; readonly Limit?: number } = {},
) {
  let after = from;
  do {
    const { With: more, Tag: tags, ...plain } = filter;
    const query = {
      ...plain,
      ...(more === undefined ? {} : { With: [...more] }),
      ...(tags === undefined ? {} : { Tag: [...tags] }),
      Limit,
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

/** Reads the first devices that are Down. */
export async function readDownStates(): Promise<{
  readonly devices: readonly KnownDevice[];
  readonly isWhole: boolean;
}> {
  const query = { With: [...With], Status: ['Down' as const], Limit: maxEarly };
  const { data, hasMore } = await takeAnswer(api.GET('/states', { params: { query } }));
  const part = partOf(serverNow());
  return { devices: data.map((row) => factsOf(row, part)), isWhole: !hasMore };
}

/** Reads the devices that changed after a revision. */
export const readStatesSince = (since: string): Promise<StateChanges> =>
  readRows({ With, ChangedSince: since });

/**
 * Reads names and states of all devices, in the order of creation. Tags, Locations, last checks and days are empty:
 * `readParts` reads them.
 */
export const readPlainStates = (): Promise<StateChanges> => readRows({}, plainPageSize);

async function readRows(filter: StateQuery, Limit = pageSize): Promise<StateChanges> {
  const changes = new Map<string, KnownDevice | undefined>();
  let revision: string | undefined;
  for await (const { data, revision: ofPage } of statePages(filter, { Limit })) {
    const part = partOf(serverNow());
    // A device that changes while the pages are read is also among the next changes.
    revision ??= ofPage;
    for (const row of data) changes.set(row.device_id, row.Gone === true ? undefined : factsOf(row, part));
  }
  return { changes, revision };
}

/**
 * Reads all facts of devices, some pages at the same time. `ids` are in the order of creation. `onRows` gets each page.
 * Devices that were created or deleted meanwhile are among the changes after the revision of `ids`.
 */
export async function readParts(
  ids: readonly string[],
  onRows: (rows: readonly KnownDevice[]) => void,
): Promise<void> {
  const places = new Map(ids.map((id, place) => [id, place]));
  const starts = Array.from({ length: Math.ceil(ids.length / pageSize) }, (_, page) => page * pageSize);
  const readNext = async (): Promise<void> => {
    for (let start = starts.shift(); start !== undefined; start = starts.shift()) {
      const last = Math.min(start + pageSize, ids.length) - 1;
      for await (const { data } of statePages({ With }, { from: ids[start - 1] })) {
        const part = partOf(serverNow());
        onRows(data.map((row) => factsOf(row, part)));
        // A device whose creation was committed late pushes the last ones to the next page.
        if (data.some(({ device_id }) => (places.get(device_id) ?? -1) >= last)) break;
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: maxAtOnce }, readNext));
  } finally {
    starts.length = 0; // After a failure, the others do not continue.
  }
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
