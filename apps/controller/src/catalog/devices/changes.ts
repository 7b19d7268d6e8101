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
  ShortName: 'none',
  FullName: 'none',
  nschedule_id: 'none',
  mschedule_id: 'none',
  device_master_id: 'none',
} as const satisfies Readonly<Partial<Record<Setting, ChangeReach>>>;

/** The settings that change, by the names of the REST API, and the reach of the change. */
export function changesOf(
  row: DeviceRow,
  clear: ClearTarget,
  { plain, target, references }: DeviceSettings,
  newLocations: boolean,
): { readonly fields: readonly Setting[]; readonly reach: ChangeReach } {
  const parts: readonly (readonly [field: keyof typeof reaches, changed: boolean])[] = [
    ['URL', clear.url !== target.clear.url],
    ['Options', !isDeepStrictEqual(clear.options, target.clear.options)],
    ['Locations', newLocations || row.locations_given !== references.locationsGiven],
    ['Frequency', row.frequency_min !== plain.frequencyMin],
    ['FrequencySeconds', row.frequency_s !== plain.frequencyS],
    ['Timeout', row.timeout_s !== plain.timeoutS],
    ['Retries', shownRetries(row.retries) !== shownRetries(plain.retries)],
    ['Attempts', row.retries !== plain.retries],
    ['RetryDelay', row.retry_delay_s !== plain.retryDelayS],
    ['Enabled', row.enabled !== plain.enabled],
    ['Severity', row.severity !== plain.severity],
    ['Tags', !sameTags(references.tags, row.tags)],
    ['ExternalKey', row.external_key !== plain.externalKey],
    ['ShortName', row.short_name !== plain.shortName],
    ['FullName', row.full_name !== plain.fullName],
    ['nschedule_id', row.nschedule_no !== references.nscheduleNo],
    ['mschedule_id', row.mschedule_no !== references.mscheduleNo],
    ['device_master_id', row.master_no !== references.masterNo],
  ];
  const fields = parts.filter(([, changed]) => changed).map(([field]) => field);
  return { fields, reach: reachOf(fields, newLocations) };
}

/** How far a change of these settings reaches. Pure. */
export function reachOf(fields: readonly (keyof typeof reaches)[], newLocations: boolean): ChangeReach {
  const each = fields.filter((field) => field !== 'Locations' || newLocations).map((field) => reaches[field]);
  const order: readonly ChangeReach[] = ['target', 'schedule', 'settings'];
  return order.find((reach) => each.some((one) => one === reach)) ?? 'none';
}
