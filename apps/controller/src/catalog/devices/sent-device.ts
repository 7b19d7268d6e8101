import { methods } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import { registry } from '@vantage/probes';
import { lineField } from '@vantage/rest-kit/field';
import { z } from 'zod';
import { referenceField } from '../../resources/external-key.ts';
import { createShape, updateShape } from '../../resources/field-table.ts';
import { deviceTable } from './device-table.ts';

const optionalId = (what: string) =>
  referenceField.nullable().optional().describe(`${what}. Its id, or key: and its ExternalKey; null: none.`);

const url = boundedText(64 * 1024).meta({
  description:
    'URL, host name or custom script to monitor; what is accepted depends on Method. A password comes back as `***`.',
  whenMissing: 'is required: what to check, for example https://www.example.org/',
});

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
      'Older name of Options.Headers (Method HTTP): {} changes nothing, null clears the headers. If both names are sent, the one that differs from the stored headers counts.',
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

export const unset = {
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
