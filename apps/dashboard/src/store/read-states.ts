import type { Schemas } from '@vantage/client';
import { partOf } from '../model/day.ts';
import { naturalKey } from '../model/natural-order.ts';
import { api, takeAnswer } from './api.ts';
import type { DeviceFacts } from './device-facts.ts';

const pageSize = 1_000;
const With = 'Tags,Locations,LastCheck,Day';

/** The changed devices; undefined: deleted. */
export type Changes = ReadonlyMap<string, DeviceFacts | undefined>;

/** Changes, and the revision of which the next ones can be asked for. */
export interface Read {
  readonly changes: Changes;
  readonly revision: string | undefined;
}

/** Reads all devices, or with `since` those that changed after that revision. `onPage` has how many are read so far. */
export async function readStates(
  since: string | undefined,
  onPage: (count: number) => void = () => {},
): Promise<Read> {
  const changes = new Map<string, DeviceFacts | undefined>();
  let revision: string | undefined;
  let after: string | undefined;
  const part = partOf(Date.now());
  for (;;) {
    const query = {
      Limit: pageSize,
      With,
      ...(since === undefined ? {} : { ChangedSince: since }),
      ...(after === undefined ? {} : { After: after }),
    };
    const { data, revision: ofPage, hasMore } = await takeAnswer(api.GET('/states', { params: { query } }));
    // What changes while the pages are read comes again with the next changes.
    revision ??= ofPage;
    for (const row of data) changes.set(row.device_id, row.Gone === true ? undefined : factsOf(row, part));
    onPage(changes.size);
    after = data.at(-1)?.device_id;
    if (!hasMore || after === undefined) return { changes, revision };
  }
}

/** The ids of devices that have a text in their URL or a name, at most a page. */
export async function searchDevices(text: string): Promise<ReadonlySet<string>> {
  const query = { Limit: pageSize, Search: text };
  const { data } = await takeAnswer(api.GET('/states', { params: { query } }));
  return new Set(data.map(({ device_id }) => device_id));
}

const mostResults = 100;

/** The last results of devices that are Down, by their ids: of those that went Down last. */
export async function readResults(): Promise<ReadonlyMap<string, string>> {
  const query = { Filter: 'Down', Sort: '-StatusSince', Limit: mostResults } as const;
  const { data } = await takeAnswer(api.GET('/devices', { params: { query } }));
  return new Map(
    data.flatMap(({ device_id, LastCheckResult }) =>
      LastCheckResult === null ? [] : [[device_id, LastCheckResult] as const],
    ),
  );
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
