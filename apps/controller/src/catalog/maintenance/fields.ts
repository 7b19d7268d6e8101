import { z } from 'zod';
import { idField, timestampField } from '../../rest/http/field.ts';
import type { Zone } from '../../rest/http/zone.ts';
import { type MaintenanceRow, mostDevices } from './store.ts';

const shared = {
  maintenance_id: idField,
  Source: z.enum(['Manual', 'Schedule']).describe('Who asked for it: somebody, or a maintenance schedule.'),
  mschedule_id: idField.nullable().describe('The schedule; null: it has none.'),
  Start: timestampField.describe('In the future: it is planned.'),
  End: timestampField,
  Reason: z.string().nullable().describe('Why, for people; null: none was given.'),
  By: z
    .string()
    .nullable()
    .describe('Name of the key or person that asked for it; null: a schedule, or not known.'),
} as const;

/** A maintenance of one device, as the device shows it. */
export const deviceMaintenance = z.strictObject(shared).meta({ id: 'DeviceMaintenance' });

/** A maintenance of the account. */
export const maintenanceRecord = z
  .strictObject({
    ...shared,
    Devices: z
      .array(idField)
      .describe(`Its devices, at most ${mostDevices} of them, in the order of creation.`),
    DeviceCount: z.int().describe('How many devices it has.'),
  })
  .meta({ id: 'Maintenance' });

/** A maintenance as its device shows it. */
export function showOwnMaintenance(row: MaintenanceRow, zone: Zone): z.input<typeof deviceMaintenance> {
  return {
    maintenance_id: row.maintenance_id,
    Source: row.source === 'schedule' ? 'Schedule' : 'Manual',
    mschedule_id: row.mschedule_id,
    Start: zone.format(row.from_us),
    End: zone.format(row.to_us),
    Reason: row.reason,
    By: row.started_by,
  };
}

/** A maintenance as the list shows it. */
export function showMaintenance(row: MaintenanceRow, zone: Zone): z.input<typeof maintenanceRecord> {
  return { ...showOwnMaintenance(row, zone), Devices: [...row.device_ids], DeviceCount: row.devices };
}
