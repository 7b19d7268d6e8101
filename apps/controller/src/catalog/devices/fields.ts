import { cleanLine, deviceStatuses, longestTimeoutS, methods, severities } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import { registry } from '@vantage/probes';
import { z } from 'zod';
import { idField, lineField, timestampField } from '../../rest/http/field.ts';
import { identityTable, referenceField } from '../external-key.ts';
import { createShape, type Field, marked, shownShape, updateShape } from '../field-table.ts';
import { deviceMaintenance } from '../maintenance/maintenance.ts';

/**
 * The reach of a change: agents keep their assignment, get other settings, another schedule or Location, or another
 * target.
 */
export type ChangeReach = 'none' | 'settings' | 'schedule' | 'target';

/** A setting of a device in a column of its own. */
interface Setting extends Field {
  readonly reach: ChangeReach;
  /** Lists of devices show it. */
  readonly isListed?: true;
  /** A change of many devices may set it (POST /devices/change). */
  readonly isShared?: true;
}

/** The seconds that a device may have as its interval instead of minutes. */
export const secondsChoices = [5, 10, 15, 20, 30] as const;

/** Retries as the API shows them: the contract has no fewer than two. */
export function shownRetries(retries: number): number {
  return Math.max(2, retries);
}

const webName = /^[A-Za-z0-9-]{1,8}$/;

/**
 * The plain settings of a device, each once. Requests, answers and their texts, columns, changes and their reach are
 * derived from it. Two pairs name one thing each (`resolveRhythm`): Frequency and FrequencySeconds, Retries and
 * Attempts.
 */
export const deviceTable = {
  ShortName: {
    column: 'short_name',
    schema: boundedText(1000).regex(webName, "must be 1 to 8 letters, digits or '-', for example web-1"),
    text: 'Short name of the device.',
    sentText: "Up to 8 characters: letters, digits or '-'. Need not be unique.",
    example: 'web-1',
    byDefault: '',
    isRequired: true,
    reach: 'none',
    isListed: true,
  },
  FullName: {
    column: 'full_name',
    schema: lineField(1000),
    text: 'Description of the device.',
    sentText: 'Description, one line; null: none.',
    example: 'Web shop, front page',
    byDefault: null,
    show: cleanLine,
    reach: 'none',
    isListed: true,
  },
  Frequency: {
    column: 'frequency_min',
    schema: z.literal([1, 2, 5, 10, 20, 30, 60]),
    text: 'Minutes between checks.',
    example: 5,
    byDefault: 5,
    reach: 'schedule',
    isListed: true,
    isShared: true,
  },
  FrequencySeconds: {
    column: 'frequency_s',
    schema: z.literal(secondsChoices),
    text: 'Seconds between checks; null: Frequency counts.',
    sentText:
      'Seconds between checks instead of Frequency, which reads 1 then; null: Frequency counts. Where both are sent, the one that differs from what is shown counts.',
    example: null,
    byDefault: null,
    reach: 'schedule',
    isListed: true,
    isShared: true,
  },
  Timeout: {
    column: 'timeout_s',
    schema: z.int().min(1).max(longestTimeoutS),
    text: 'Seconds to wait for a response.',
    example: 30,
    byDefault: 30,
    reach: 'settings',
    isShared: true,
  },
  Retries: {
    column: 'retries',
    schema: z.int().min(2).max(10),
    text: 'Retries after an error before alerting.',
    example: 2,
    byDefault: 2,
    show: shownRetries,
    reach: 'none',
    isShared: true,
  },
  Attempts: {
    column: 'retries',
    schema: z.int().min(1).max(11),
    text: 'Failing checks until the device is Down.',
    sentText:
      'Failing checks until the device is Down, the first one included; null: Retries + 1. Where both are sent, the one that differs from what is shown counts.',
    example: 3,
    isExampleSaid: true,
    byDefault: 2,
    store: (attempts: number) => attempts - 1,
    show: (retries: number) => retries + 1,
    reach: 'settings',
    isShared: true,
  },
  RetryDelay: {
    column: 'retry_delay_s',
    schema: z.int().min(1).max(300),
    text: 'Seconds before a retry.',
    example: 1,
    byDefault: 1,
    reach: 'settings',
    isShared: true,
  },
  ExternalKey: { ...identityTable.ExternalKey, reach: 'none', isListed: true },
  Source: { ...identityTable.Source, reach: 'none', isListed: true },
  Enabled: {
    column: 'enabled',
    schema: z.boolean(),
    text: 'false: the device is paused.',
    sentText:
      'false pauses the device: it is not checked, its Status is Unknown, nobody is notified; default true.',
    example: true,
    byDefault: true,
    // As a new target: results of checks that started before change nothing, and a device that is enabled again is
    // checked at once.
    reach: 'target',
    isListed: true,
    isShared: true,
  },
  Severity: {
    column: 'severity',
    schema: z.enum(severities),
    text: 'How bad an outage of it is.',
    sentText: 'How bad an outage of it is; steps of notification schedules choose by it. Default critical.',
    example: 'critical',
    byDefault: 'critical',
    reach: 'none',
    isListed: true,
    isShared: true,
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** Those that lists of devices show. */
export const listedTable = marked(deviceTable, 'isListed');

/** Those that many devices can get at once. */
export const sharedTable = marked(deviceTable, 'isShared');

const optionalId = (what: string) =>
  referenceField.nullable().optional().describe(`${what}. Its id, or key: and its ExternalKey; null: none.`);

const url = boundedText(64 * 1024, 1).meta({
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
