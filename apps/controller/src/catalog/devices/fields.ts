import { deviceStatuses, methods } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import { registry } from '@vantage/probes';
import { z } from 'zod';
import { idField, lineField, timestampField } from '../../rest/http/field.ts';
import { referenceField } from '../external-key.ts';
import { createShape, shownShape, updateShape } from '../field-table.ts';
import { deviceMaintenance } from '../maintenance/fields.ts';
import { deviceTable, listedTable } from './device-table.ts';

const optionalId = (what: string) =>
  referenceField.nullable().optional().describe(`${what}. Its id, or key: and its ExternalKey; null: none.`);

const url = boundedText(64 * 1024, 1).describe(
  'URL, host name or custom script to monitor; what is accepted depends on Method. A password comes back as `***`.',
);
const options = z
  .record(boundedText(100), z.unknown())
  .nullable()
  .optional()
  .meta({
    description:
      'Settings of the Method; null: its defaults. Secrets come back as `***`; the mask may be sent back.',
    override: {
      anyOf: [
        ...Object.keys(registry).map((method) => ({ $ref: `#/components/schemas/Options${method}` })),
        { type: 'null' },
      ],
    },
  });

const {
  ShortName: shortName,
  ExternalKey,
  Source,
  Enabled,
  Severity,
  ...settings
} = createShape(deviceTable);
const optional = {
  ...settings,
  nschedule_id: optionalId('Notification schedule'),
  mschedule_id: optionalId('Maintenance schedule'),
  device_master_id: optionalId('Master device: when it is down already, alerts for this one are suppressed'),
  Locations: z
    .array(boundedText(200, 1))
    .max(1000)
    .nullable()
    .optional()
    .describe("Names or ids; null: the account's DefaultLocations; []: none."),
  Options: options,
  Tags: z
    .array(
      z.union([
        lineField(200, 1),
        z.strictObject({ tag_id: boundedText(100), Name: boundedText(200).optional() }),
      ]),
    )
    .max(1000)
    .nullable()
    .optional()
    .describe('The whole set of its tags: names, ids, or the objects that a GET returns; null: none.'),
  ExternalKey,
  Source,
  Enabled,
  Severity,
  HostData: z
    .strictObject({ headers: z.record(boundedText(100), boundedText(8192)).optional() })
    .nullable()
    .optional()
    .describe(
      'Older name of Options.Headers (Method HTTP): {} changes nothing, null clears the headers. Where both names are sent, the one that differs from the stored headers counts.',
    )
    .meta({ deprecated: true }),
};

/** The body of POST /devices. */
export const deviceCreate = z
  .strictObject({
    Method: z.enum(methods).describe('Cannot be changed later.'),
    URL: url,
    ShortName: shortName,
    ...optional,
  })
  .meta({ id: 'DeviceCreate' });

/** The body of PUT /devices/{device_id}: what is absent stays as it is. */
export const deviceUpdate = z
  .strictObject({
    Method: boundedText(100).optional().describe('May be sent back; cannot be changed.'),
    URL: url.optional(),
    ShortName: updateShape(deviceTable).ShortName,
    ...optional,
  })
  .meta({ id: 'DeviceUpdate' });

/** Settings as sent, good fields only. */
export type SentSettings = {
  readonly [Name in keyof z.output<typeof deviceUpdate>]?: z.output<typeof deviceUpdate>[Name] | undefined;
};

const unset = {
  device_id: true,
  Status: true,
  StatusSince: true,
  Retrying: true,
  DownBecause: true,
  LastCheckResult: true,
  MaintenanceUntil: true,
  Maintenance: true,
  Warnings: true,
  CreatedAt: true,
  UpdatedAt: true,
} as const;
/** The fields that a device's GET returns and no request sets. */
export const deviceReadOnly = Object.keys(unset);

const nullableId = z.string().nullable();
const listed = shownShape(listedTable);

/** An entry of a device list. Columns of CSV keep their places: a new field comes last. */
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

/** The settings of a device, as PUT takes them. */
export const deviceSettings = deviceFull
  .omit({ ...unset, HostData: true })
  .extend({
    Locations: z
      .array(z.string())
      .nullable()
      .describe("Names of the Locations that check it; null: the account's DefaultLocations."),
  })
  .meta({
    id: 'DeviceSettings',
    description: 'Settings of a device, as PUT /devices/{device_id} takes them.',
  });
