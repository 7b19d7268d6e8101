import type { DeviceState } from './state.ts';

/** Settings that many devices can share, by the names of the API. */
export interface SharedSettings {
  readonly Frequency?: 1 | 2 | 5 | 10 | 20 | 30 | 60;
  readonly FrequencySeconds?: 5 | 10 | 15 | 20 | 30;
  readonly Timeout?: number;
  readonly Attempts?: number;
  readonly RetryDelay?: number;
  readonly Severity?: 'critical' | 'warning' | 'info';
  readonly Enabled?: boolean;
  readonly Locations?: readonly string[] | null;
  readonly nschedule_id?: string | null;
  readonly mschedule_id?: string | null;
  readonly device_master_id?: string | null;
}

/** A change of many devices, as `POST /devices/change` takes it without its Filter. */
export interface BulkChange {
  readonly Set?: SharedSettings;
  readonly AddTags?: readonly string[];
  readonly RemoveTags?: readonly string[];
  /** null ends the maintenance that runs. */
  readonly Maintenance?: {
    readonly Duration: string;
    readonly Reason: string | null;
    /** A local time of the account's zone; absent or null: now. */
    readonly Start?: string | null;
  } | null;
  readonly Delete?: true;
}

/** A change of some devices. */
export interface DevicesChange {
  readonly ids: readonly string[];
  readonly change: BulkChange;
}

/** A device that may be changed. */
export interface BulkRow {
  readonly id: string;
  readonly state: DeviceState;
  readonly tags: readonly string[];
}

/** The settings that an undo restores. */
export type StoredSettings = Required<Omit<SharedSettings, 'FrequencySeconds'>> & {
  readonly FrequencySeconds: SharedSettings['FrequencySeconds'] | null;
  readonly Source: string | null;
};

export const isEmptyChange = ({ Set: set, AddTags, RemoveTags, Maintenance, Delete }: BulkChange): boolean =>
  Object.keys(set ?? {}).length === 0 &&
  (AddTags ?? []).length === 0 &&
  (RemoveTags ?? []).length === 0 &&
  Maintenance === undefined &&
  Delete === undefined;

/** Whether maintenance is planned for later. Then the calendar cancels it. */
export const isPlanned = ({ Maintenance }: BulkChange): boolean => (Maintenance?.Start ?? null) !== null;

/**
 * Whether an undo can restore everything. Deleted devices and ended maintenance cannot be restored, and an undo ends
 * only maintenance that runs.
 */
export const canUndo = (change: BulkChange): boolean =>
  change.Delete === undefined && change.Maintenance !== null && !isPlanned(change);

const names = (tags: readonly string[]) => new Set(tags.map((tag) => tag.toLowerCase()));

/** The changes that restore these devices. Devices with the same earlier settings are restored together. */
export function undoOf(
  change: BulkChange,
  rows: readonly BulkRow[],
  settings: ReadonlyMap<string, StoredSettings>,
): readonly DevicesChange[] {
  if (!canUndo(change)) return [];
  const groups = new Map<string, { change: BulkChange; ids: string[] }>();
  for (const row of rows) {
    const back = backOf(change, row, settings.get(row.id));
    if (isEmptyChange(back)) continue;
    const key = JSON.stringify(back);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { change: back, ids: [row.id] });
    else group.ids.push(row.id);
  }
  return [...groups.values()];
}

function backOf(change: BulkChange, row: BulkRow, before: StoredSettings | undefined): BulkChange {
  const has = names(row.tags);
  const added = (change.AddTags ?? []).filter((tag) => !has.has(tag.toLowerCase()));
  const removed = (change.RemoveTags ?? []).filter((tag) => has.has(tag.toLowerCase()));
  const set = before === undefined ? {} : settingsBefore(change.Set ?? {}, before);
  return {
    ...(Object.keys(set).length > 0 ? { Set: set } : {}),
    ...(added.length > 0 ? { RemoveTags: added } : {}),
    ...(removed.length > 0 ? { AddTags: removed } : {}),
    ...(change.Maintenance !== undefined && row.state !== 'Maint' ? { Maintenance: null } : {}),
  };
}

function settingsBefore(set: SharedSettings, before: StoredSettings): SharedSettings {
  const back: Record<string, unknown> = {};
  // The API takes one of the two, and the shown Frequency of an interval in seconds is always 1.
  for (const field of Object.keys(set))
    if (field === 'Frequency' || field === 'FrequencySeconds') {
      if (before.FrequencySeconds === null) back['Frequency'] = before.Frequency;
      else back['FrequencySeconds'] = before.FrequencySeconds;
    } else back[field] = before[field as keyof StoredSettings];
  return back as SharedSettings;
}

/** The maximum number of devices that one request names. */
const maxNamed = 1_000;

/** A change as parts that one request each can name. */
export function partsOf({ ids, change }: DevicesChange): readonly DevicesChange[] {
  const parts: DevicesChange[] = [];
  for (let from = 0; from < ids.length; from += maxNamed)
    parts.push({ ids: ids.slice(from, from + maxNamed), change });
  return parts;
}

const secondsPerMinute = 60;

/** The checks per minute of devices, before and after a change of their frequency or of whether they are checked. */
export function loadOf(
  ids: readonly string[],
  set: SharedSettings,
  settings: ReadonlyMap<string, StoredSettings>,
): { readonly before: number; readonly after: number } {
  let [before, after] = [0, 0];
  for (const id of ids) {
    const stored = settings.get(id);
    if (stored === undefined) continue;
    const perMinute = (frequency: number, seconds: number | null | undefined) =>
      seconds == null ? 1 / frequency : secondsPerMinute / seconds;
    const now = perMinute(stored.Frequency, stored.FrequencySeconds);
    const isChanged = set.Frequency !== undefined || set.FrequencySeconds !== undefined;
    const next = isChanged ? perMinute(set.Frequency ?? 1, set.FrequencySeconds) : now;
    if (stored.Enabled) before += now;
    if (set.Enabled ?? stored.Enabled) after += next;
  }
  return { before, after };
}

/** The sources (files) that manage these devices, with the number of each. Their next apply undoes a change. */
export function sourcesOf(
  ids: readonly string[],
  settings: ReadonlyMap<string, StoredSettings>,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const id of ids) {
    const source = settings.get(id)?.Source ?? null;
    if (source !== null) found.set(source, [...(found.get(source) ?? []), id]);
  }
  return found;
}
