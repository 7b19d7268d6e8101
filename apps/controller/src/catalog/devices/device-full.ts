import { idField, timestampField } from '@vantage/rest-kit/field';
import { z } from 'zod';
import { shownShape } from '../../resources/field-table.ts';
import { deviceMaintenance } from '../maintenance/maintenance-record.ts';
import { deviceTable } from './device-table.ts';
import { deviceEntry, nullableId } from './shown-device.ts';

/** A device with all its settings. */
export const deviceFull = z
  .strictObject({
    ...deviceEntry.shape,
    ...shownShape(deviceTable),
    nschedule_id: nullableId,
    mschedule_id: nullableId,
    device_master_id: nullableId,
    Locations: z.array(z.string()).describe('Names of the Locations that check it.'),
    Options: z.record(z.string(), z.unknown()),
    Tags: z.array(z.strictObject({ tag_id: idField, Name: z.string() })),
    Warnings: z.array(z.string()),
    Maintenance: z
      .array(deviceMaintenance)
      .describe('Maintenance that runs or is planned; of its schedule the windows of the next 62 days.'),
    CreatedAt: timestampField,
    UpdatedAt: timestampField,
    HostData: z
      .strictObject({ headers: z.record(z.string(), z.string()) })
      .optional()
      .describe('Older name of Options.Headers; with WithConfig=Y, for Method HTTP only.')
      .meta({ deprecated: true }),
  })
  .meta({ id: 'Device' });
