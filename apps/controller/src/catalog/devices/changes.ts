import { isDeepStrictEqual } from 'node:util';
import { shownRetries } from './rhythm.ts';
import { sameTags } from './settings.ts';
import type { showSettings } from './show.ts';
import type { DeviceRow } from './store.ts';
import type { ClearTarget } from './target.ts';
import type { ChangeReach, DeviceSettings } from './write-store.ts';

/** A setting by its name in the REST API. */
type Setting = keyof ReturnType<typeof showSettings>;

/** The settings that change, by the names of the REST API, and the reach of the change. */
export function changesOf(
  row: DeviceRow,
  clear: ClearTarget,
  { plain, target, references }: DeviceSettings,
  newLocations: boolean,
): { readonly fields: readonly Setting[]; readonly reach: ChangeReach } {
  const parts: readonly (readonly [field: Setting, changed: boolean, reach: ChangeReach])[] = [
    ['URL', clear.url !== target.clear.url, 'target'],
    ['Options', !isDeepStrictEqual(clear.options, target.clear.options), 'target'],
    ['Locations', newLocations, 'schedule'],
    ['Locations', row.locations_given !== references.locationsGiven, 'none'],
    ['Frequency', row.frequency_min !== plain.frequencyMin, 'schedule'],
    ['FrequencySeconds', row.frequency_s !== plain.frequencyS, 'schedule'],
    ['Timeout', row.timeout_s !== plain.timeoutS, 'settings'],
    ['Retries', shownRetries(row.retries) !== shownRetries(plain.retries), 'none'],
    ['Attempts', row.retries !== plain.retries, 'settings'],
    ['RetryDelay', row.retry_delay_s !== plain.retryDelayS, 'settings'],
    // As a new target: results of checks that started before change nothing, and a device that is enabled again is checked at once.
    ['Enabled', row.enabled !== plain.enabled, 'target'],
    ['Severity', row.severity !== plain.severity, 'none'],
    ['Tags', !sameTags(references.tags, row.tags), 'none'],
    ['ExternalKey', row.external_key !== plain.externalKey, 'none'],
    ['ShortName', row.short_name !== plain.shortName, 'none'],
    ['FullName', row.full_name !== plain.fullName, 'none'],
    ['nschedule_id', row.nschedule_no !== references.nscheduleNo, 'none'],
    ['mschedule_id', row.mschedule_no !== references.mscheduleNo, 'none'],
    ['device_master_id', row.master_no !== references.masterNo, 'none'],
  ];
  const changed = parts.filter(([, is]) => is);
  const order: readonly ChangeReach[] = ['target', 'schedule', 'settings'];
  const reach = order.find((kind) => changed.some(([, , each]) => each === kind)) ?? 'none';
  return { fields: [...new Set(changed.map(([field]) => field))], reach };
}
