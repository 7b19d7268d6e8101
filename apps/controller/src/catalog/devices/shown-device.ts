import { deviceStatuses, methods } from '@vantage/domain';
import { idField, timestampField } from '@vantage/rest-kit/field';
import { z } from 'zod';
import { shownShape } from '../../resources/field-table.ts';
import { listedTable } from './device-table.ts';
import { unset } from './sent-device.ts';

/** The fields that a device's GET returns and no request sets. */
export const deviceReadOnly = [...Object.keys(unset), 'PushURL'];

export const nullableId = z.string().nullable();

const listed = shownShape(listedTable);

/** An entry of a device list. CSV columns keep their order: a new field comes last. */
export const deviceEntry = z
  .strictObject({
    Status: z.enum(deviceStatuses),
    URL: z.string(),
    Method: z.enum(methods),
    Frequency: listed.Frequency,
    FrequencySeconds: listed.FrequencySeconds,
    LastCheckResult: z.string().nullable(),
    StatusSince: timestampField,
    ShortName: listed.ShortName,
    FullName: listed.FullName,
    device_id: idField,
    ExternalKey: listed.ExternalKey,
    Enabled: listed.Enabled,
    Severity: listed.Severity,
    MaintenanceUntil: timestampField
      .nullable()
      .describe('End of the current maintenance; null: it is in none.'),
    Retrying: z.boolean().describe('An error was seen that is not confirmed yet.'),
    DownBecause: nullableId.describe(
      'Id of its master where the device is Down and the master is Down too; otherwise null.',
    ),
  })
  .extend(listed)
  .meta({ id: 'DeviceEntry' });
