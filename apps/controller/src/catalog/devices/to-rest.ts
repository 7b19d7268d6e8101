import { cleanLine, type Method, methods } from '@vantage/domain';
import { showUpdated } from '@vantage/rest-kit/field';
import type { Zone } from '@vantage/rest-kit/zone';
import type { z } from 'zod';
import { createShow } from '../../resources/field-table.ts';
import type { MaintenanceRow } from '../maintenance/maintenance-record.ts';
import { showOwnMaintenance } from '../maintenance/maintenance-record.ts';
import type { deviceFull } from './device-full.ts';
import type { PlainSettings } from './device-settings.ts';
import type { DeviceRow, EntryRow } from './device-store.ts';
import { deviceTable, listedTable } from './device-table.ts';
import { currentWarnings } from './device-warnings.ts';
import { deviceCreate } from './sent-device.ts';
import { deviceEntry } from './shown-device.ts';

// CSV has Source last.
const entryOrder = Object.keys(deviceEntry.shape).filter((name) => name !== 'Source');
const listed = createShow(
  listedTable,
  entryOrder.toSpliced(entryOrder.indexOf('ExternalKey') + 1, 0, 'Source'),
);

/** A row as a device list shows it. `lastResult` is the text of the last check. */
export function showEntry(
  row: EntryRow,
  lastResult: string | undefined,
  zone: Zone,
): z.input<typeof deviceEntry> {
  return listed(row, {
    Status: row.status,
    URL: row.url,
    Method: methodOf(row.method),
    LastCheckResult: lastResult ?? null,
    StatusSince: zone.format(row.since_us),
    device_id: row.device_id,
    MaintenanceUntil: row.maintenance_until_us === null ? null : zone.format(row.maintenance_until_us),
    Retrying: row.retrying,
    DownBecause: row.status === 'Down' ? row.down_because : null,
  });
}

/** The values that `showSettings` reads. */
export type SettingsRow = PlainSettings &
  Pick<
    DeviceRow,
    'method' | 'url' | 'nschedule_id' | 'mschedule_id' | 'master_id' | 'locations' | 'options' | 'tags'
  >;

const inOrder = createShow(
  deviceTable,
  Object.keys(deviceCreate.shape).filter((name) => name !== 'HostData'),
);

/** The settings of a device by their names in the REST API, secrets masked. */
export function showSettings(row: SettingsRow) {
  return inOrder(row, {
    Method: methodOf(row.method),
    URL: row.url,
    nschedule_id: row.nschedule_id,
    mschedule_id: row.mschedule_id,
    device_master_id: row.master_id,
    Locations: row.locations.map(({ name }) => cleanLine(name)),
    Options: { ...row.options },
    Tags: row.tags.map(({ tag_id, name }) => ({ tag_id, Name: cleanLine(name) })),
  });
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
    ...showUpdated(row.updated_us, zone),
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
