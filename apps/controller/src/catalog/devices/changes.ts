import { isDeepStrictEqual } from 'node:util';
import { shownRetries } from './rhythm.ts';
import { sameTags } from './settings.ts';
import type { showSettings } from './show.ts';
import type { DeviceRow } from './store.ts';
import type { ClearTarget } from './target.ts';
import type { ChangeReach, DeviceSettings } from './write-store.ts';

/** A setting by its name in the REST API. */
type Setting = keyof ReturnType<typeof showSettings>;

/** How far a change of each setting reaches. */
export const reaches = {
  URL: 'target',
  Options: 'target',
  // Only where the Locations themselves change, and not merely that they were chosen.
  Locations: 'schedule',
  Frequency: 'schedule',
  FrequencySeconds: 'schedule',
  Timeout: 'settings',
  Retries: 'none',
  Attempts: 'settings',
  RetryDelay: 'settings',
  // As a new target: results of checks that started before change nothing, and a device that is enabled again is
  // checked at once.
  Enabled: 'target',
  Severity: 'none',
  Tags: 'none',
  ExternalKey: 'none',
  Source: 'none',
  ShortName: 'none',
  FullName: 'none',
  nschedule_id: 'none',
  mschedule_id: 'none',
  device_master_id: 'none',
} as const satisfies Readonly<Partial<Record<Setting, ChangeReach>>>;

const settings = Object.keys(reaches) as (keyof typeof reaches)[];

/** Settings that a device shares with others, as the database stores them. */
export interface SharedSettings {
  readonly frequency_min: number;
  readonly frequency_s: number | null;
  readonly timeout_s: number;
  readonly retries: number;
  readonly retry_delay_s: number;
  readonly enabled: boolean;
  readonly severity: string;
  readonly nschedule_no: number | null;
  readonly mschedule_no: number | null;
  readonly master_no: number | null;
}

/** Whether each setting of a device changes. */
export type Changes = Readonly<Partial<Record<keyof typeof reaches, boolean>>>;

/** Which of the shared settings differ. Pure. */
export function sharedChanges(before: SharedSettings, after: SharedSettings): Changes {
  return {
    Frequency: before.frequency_min !== after.frequency_min,
    FrequencySeconds: before.frequency_s !== after.frequency_s,
    Timeout: before.timeout_s !== after.timeout_s,
    Retries: shownRetries(before.retries) !== shownRetries(after.retries),
    Attempts: before.retries !== after.retries,
    RetryDelay: before.retry_delay_s !== after.retry_delay_s,
    Enabled: before.enabled !== after.enabled,
    Severity: before.severity !== after.severity,
    nschedule_id: before.nschedule_no !== after.nschedule_no,
    mschedule_id: before.mschedule_no !== after.mschedule_no,
    device_master_id: before.master_no !== after.master_no,
  };
}

/** The settings that change, by the names of the REST API, and the reach of the change. */
export function changesOf(
  row: DeviceRow,
  clear: ClearTarget,
  { plain, target, references }: DeviceSettings,
  newLocations: boolean,
): { readonly fields: readonly Setting[]; readonly reach: ChangeReach } {
  const shared: SharedSettings = {
    frequency_min: plain.frequencyMin,
    frequency_s: plain.frequencyS,
    timeout_s: plain.timeoutS,
    retries: plain.retries,
    retry_delay_s: plain.retryDelayS,
    enabled: plain.enabled,
    severity: plain.severity,
    nschedule_no: references.nscheduleNo,
    mschedule_no: references.mscheduleNo,
    master_no: references.masterNo,
  };
  const changes = {
    ...sharedChanges(row, shared),
    URL: clear.url !== target.clear.url,
    Options: !isDeepStrictEqual(clear.options, target.clear.options),
    Locations: newLocations || row.locations_given !== references.locationsGiven,
    Tags: !sameTags(references.tags, row.tags),
    ExternalKey: row.external_key !== plain.externalKey,
    Source: row.source !== plain.source,
    ShortName: row.short_name !== plain.shortName,
    FullName: row.full_name !== plain.fullName,
  };
  return reachOf(changes, newLocations);
}

/** The settings that change, in the order of `reaches`, and how far the change reaches. Pure. */
export function reachOf(
  changes: Changes,
  newLocations: boolean,
): { readonly fields: readonly (keyof typeof reaches)[]; readonly reach: ChangeReach } {
  const fields = settings.filter((field) => changes[field] === true);
  const each = fields.filter((field) => field !== 'Locations' || newLocations).map((field) => reaches[field]);
  const order: readonly ChangeReach[] = ['target', 'schedule', 'settings'];
  return { fields, reach: order.find((reach) => each.some((one) => one === reach)) ?? 'none' };
}
