import { cleanLine, type Method, methods } from '@vantage/domain';
import type { z } from 'zod';
import type { Zone } from '../../http/zone.ts';
import { showRowIdentity } from '../external-key.ts';
import { showOwnMaintenance } from '../maintenance/fields.ts';
import type { MaintenanceRow } from '../maintenance/store.ts';
import type { deviceEntry, deviceFull } from './fields.ts';
import { shownRetries } from './rhythm.ts';
import { currentWarnings } from './settings.ts';
import type { DeviceRow, EntryRow } from './store.ts';

/** A row as a device list shows it. `lastResult` is the text of the last check. */
export function showEntry(
  row: EntryRow,
  lastResult: string | undefined,
  zone: Zone,
): z.input<typeof deviceEntry> {
  return {
    Status: row.status,
    URL: row.url,
    Method: methodOf(row.method),
    Frequency: row.frequency_min,
    FrequencySeconds: row.frequency_s,
    LastCheckResult: lastResult ?? null,
    StatusSince: zone.format(row.since_us),
    ShortName: row.short_name,
    FullName: row.full_name === null ? null : cleanLine(row.full_name),
    device_id: row.device_id,
    ...showRowIdentity(row),
    Enabled: row.enabled,
    Severity: row.severity,
    MaintenanceUntil: row.maintenance_until_us === null ? null : zone.format(row.maintenance_until_us),
    Retrying: row.retrying,
    DownBecause: row.status === 'Down' ? row.down_because : null,
  };
}

/** The columns that `showSettings` reads. */
export type SettingsRow = Pick<
  DeviceRow,
  | 'method'
  | 'url'
  | 'short_name'
  | 'full_name'
  | 'frequency_min'
  | 'frequency_s'
  | 'timeout_s'
  | 'retries'
  | 'retry_delay_s'
  | 'nschedule_id'
  | 'mschedule_id'
  | 'master_id'
  | 'locations'
  | 'options'
  | 'tags'
  | 'external_key'
  | 'source'
  | 'enabled'
  | 'severity'
>;

/** The settings of a device by their names in the REST API, secrets masked. */
export function showSettings(row: SettingsRow) {
  return {
    Method: methodOf(row.method),
    URL: row.url,
    ShortName: row.short_name,
    FullName: row.full_name === null ? null : cleanLine(row.full_name),
    Frequency: row.frequency_min,
    FrequencySeconds: row.frequency_s,
    Timeout: row.timeout_s,
    Retries: shownRetries(row.retries),
    Attempts: row.retries + 1,
    RetryDelay: row.retry_delay_s,
    nschedule_id: row.nschedule_id,
    mschedule_id: row.mschedule_id,
    device_master_id: row.master_id,
    Locations: row.locations.map(({ name }) => cleanLine(name)),
    Options: { ...row.options },
    Tags: row.tags.map(({ tag_id, name }) => ({ tag_id, Name: cleanLine(name) })),
    ...showRowIdentity(row),
    Enabled: row.enabled,
    Severity: row.severity,
  };
}

/** A device with all its settings. */
export function showDevice(
  row: DeviceRow,
  lastResult: string | undefined,
  zone: Zone,
  {
    withConfig,
    maintenance,
  }: { readonly withConfig: boolean; readonly maintenance: readonly MaintenanceRow[] },
): z.input<typeof deviceFull> {
  return {
    ...showEntry(row, lastResult, zone),
    ...showSettings(row),
    Warnings: [...currentWarnings(row)],
    Maintenance: maintenance.map((each) => showOwnMaintenance(each, zone)),
    CreatedAt: zone.format(row.created_us),
    UpdatedAt: zone.format(row.updated_us),
    ...(withConfig && row.method === 'HTTP'
      ? { HostData: { headers: headersOf(row.options['Headers']) } }
      : {}),
  };
}

function headersOf(value: unknown): Record<string, string> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(entries.map(([name, text]): [string, string] => [name, String(text)]));
}

function methodOf(text: string): Method {
  const method = methods.find((each) => each === text);
  if (method === undefined)
    throw new TypeError(`the database holds a device with the unknown method ${text}`);
  return method;
}
