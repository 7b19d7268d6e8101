import type { Schemas } from '@vantage/client';
import { partOf } from '../model/day.ts';
import { naturalKey } from '../model/natural-order.ts';
import { api, takeAnswer } from './api.ts';
import { serverNow } from './clock.ts';
import type { DeviceFacts } from './device-facts.ts';

const pageSize = 1_000;
const With = ['Tags', 'Locations', 'LastCheck', 'Day'] as const;

/** The changed devices; undefined: deleted. */
export type Changes = ReadonlyMap<string, DeviceFacts | undefined>;

/** Changes, and the revision of which the next ones can be asked for. */
export interface Read {
  readonly changes: Changes;
  readonly revision: string | undefined;
}

/** The filters of a list of states, and what each row has besides. */
interface StateQuery {
  readonly With?: readonly ('Tags' | 'Locations' | 'LastCheck' | 'Day' | 'Settings')[];
  readonly ChangedSince?: string;
  readonly Search?: string;
  readonly Tag?: readonly string[];
  readonly mschedule_id?: string;
}

/** The pages of a list of states, until its end. */
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

/** All states that a filter leaves. */
export async function readAllStates(filter: StateQuery): Promise<readonly Schemas['DeviceState'][]> {
  const rows: Schemas['DeviceState'][] = [];
  for await (const { data } of statePages(filter)) rows.push(...data);
  return rows;
}

/** Reads all devices, or with `since` those that changed after that revision. `onPage` has how many are read so far. */
export async function readStates(
  since: string | undefined,
  onPage: (count: number) => void = () => {},
): Promise<Read> {
  const changes = new Map<string, DeviceFacts | undefined>();
  let revision: string | undefined;
  const filter = { With, ...(since === undefined ? {} : { ChangedSince: since }) };
  for await (const { data, revision: ofPage } of statePages(filter)) {
    const part = partOf(serverNow());
    // What changes while the pages are read comes again with the next changes.
    revision ??= ofPage;
    for (const row of data) changes.set(row.device_id, row.Gone === true ? undefined : factsOf(row, part));
    onPage(changes.size);
  }
  return { changes, revision };
}

/** The ids of devices that have a text in their URL or a name. */
export async function searchDevices(text: string): Promise<ReadonlySet<string>> {
  return new Set((await readAllStates({ Search: text })).map(({ device_id }) => device_id));
}

function factsOf(row: Schemas['DeviceState'], part: number): DeviceFacts {
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
