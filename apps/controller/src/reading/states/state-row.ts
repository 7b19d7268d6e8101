import { methods, minuteUs } from '@vantage/domain';
import { idField, timestampField } from '@vantage/rest-kit/field';
import type { Zone } from '@vantage/rest-kit/zone';
import { z } from 'zod';
import { deviceSettings } from '../../catalog/devices/device-settings-schema.ts';
import type { EntryRow } from '../../catalog/devices/device-store.ts';
import { deviceEntry } from '../../catalog/devices/shown-device.ts';
import { showEntry } from '../../catalog/devices/to-rest.ts';

export const partUs = 20 * minuteUs;

export const dayParts = 72;

export const letters = { Up: 'U', Down: 'D', Maint: 'M', Unknown: '?' } as const;

const entry = deviceEntry.shape;

export const stateRow = z
  .strictObject({
    device_id: idField,
    ShortName: entry.ShortName.optional(),
    FullName: entry.FullName.optional(),
    Method: z.enum(methods).optional(),
    Status: entry.Status.optional(),
    StatusSince: timestampField.optional(),
    Enabled: entry.Enabled.optional(),
    Retrying: entry.Retrying.optional(),
    Severity: entry.Severity.optional(),
    MaintenanceUntil: entry.MaintenanceUntil.optional(),
    DownBecause: entry.DownBecause.optional(),
    Tags: z.array(z.strictObject({ tag_id: idField, Name: z.string() })).optional(),
    Locations: z.array(z.strictObject({ location_id: idField, Name: z.string() })).optional(),
    LastCheck: z
      .strictObject({
        Timestamp: timestampField,
        RequestTime: z.number().describe('Milliseconds that it took.'),
        ResultCode: z.int(),
      })
      .nullable()
      .optional()
      .describe('Its last check within a day; null: there is none.'),
    Master: z
      .strictObject({ device_id: idField, ShortName: z.string() })
      .nullable()
      .optional()
      .describe('The device that it is behind; null: none.'),
    Day: z
      .string()
      .regex(/^[UDM?]{72}$/)
      .optional()
      .describe(
        'The worst status of each 20 minutes of a day; the last letter is that of now. U is Up, D Down, M Maint, ? Unknown.',
      ),
    Settings: deviceSettings.optional(),
    Gone: z
      .literal(true)
      .optional()
      .describe(
        'With ChangedSince: it was deleted, or is no longer in the list. The row has no other field.',
      ),
  })
  .meta({ id: 'DeviceState' });

export type StateRow = z.input<typeof stateRow>;

export function showState(row: EntryRow, zone: Zone): StateRow {
  const { device_id, ShortName, FullName, Method, Status, StatusSince, ...more } = showEntry(
    row,
    undefined,
    zone,
  );
  const { Enabled, Retrying, Severity, MaintenanceUntil, DownBecause } = more;
  const names = { device_id, ShortName, FullName, Method };
  return { ...names, Status, StatusSince, Enabled, Retrying, Severity, MaintenanceUntil, DownBecause };
}

export function showCheck(
  check: { readonly start_us: number; readonly request_ms: number; readonly code: number },
  zone: Zone,
): NonNullable<StateRow['LastCheck']> {
  const RequestTime = Math.round(check.request_ms * 1_000) / 1_000;
  return { Timestamp: zone.format(check.start_us), RequestTime, ResultCode: check.code };
}

export function byDevice<T extends { readonly device_no: number }>(
  rows: readonly T[],
): ReadonlyMap<number, T[]> {
  return Map.groupBy(rows, ({ device_no }) => device_no);
}
