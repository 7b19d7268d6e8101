import { deviceStatuses } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import { idField, lineField } from '@vantage/rest-kit/field';
import { inBody } from '@vantage/rest-kit/members';
import { z } from 'zod';
import { mapFields } from '../../resources/field-table.ts';
import { deviceListQuery } from '../devices/device-list-query.ts';
import { maintenanceStart } from '../devices/device-maintenance-routes.ts';
import { sharedTable } from '../devices/device-table.ts';
import { deviceUpdate } from '../devices/sent-device.ts';

/** The maximum of device ids in a Filter. */
const maxNamed = 1_000;
/** The maximum of refused devices in an answer. */
export const maxRejected = 100;

const exampleId = '8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d';
const { Search, Tag, Method, Location, Severity, device_master_id, nschedule_id, mschedule_id } =
  deviceListQuery.shape;

const filter = z
  .strictObject({
    Devices: z
      .array(boundedText(100))
      .min(1)
      .max(maxNamed)
      .optional()
      .describe(`Ids: these devices only, at most ${maxNamed}.`)
      .meta({ example: [exampleId] }),
    Status: z.enum(deviceStatuses).optional().describe('Devices with this Status only.'),
    Search: Search.describe('A part of ShortName, FullName or URL, in any letter case.'),
    Tag: inBody(Tag, 'berlin/rack-3'),
    Method: inBody(Method, 'HTTP'),
    Location: inBody(Location, 'local'),
    Severity: inBody(Severity, 'critical'),
    device_master_id,
    nschedule_id,
    mschedule_id,
    Enabled: z.boolean().optional().describe('false: paused devices only; true: all others.'),
    Retrying: z.boolean().optional().describe('true: devices in a retry sequence only; false: all others.'),
  })
  .meta({
    id: 'BulkChangeFilter',
    description: 'All parts that are sent must hold; {}: all devices.',
    example: { Tag: 'lab' },
  });

const set = deviceUpdate
  .pick({
    ...mapFields(sharedTable, () => true as const),
    nschedule_id: true,
    mschedule_id: true,
    device_master_id: true,
    Locations: true,
  })
  .meta({
    id: 'BulkChangeSettings',
    description: 'Settings that many devices can share.',
    example: { Severity: 'info' },
  });

const tags = z.array(lineField(200, 1)).min(1).max(100).optional();

/** The body of POST /devices/change. */
export const deviceChange = z
  .strictObject({
    Filter: filter.describe('The devices that are meant.'),
    Set: set.optional().describe('What they get; null sets the default, as in PUT /devices/{device_id}.'),
    AddTags: tags.describe('Names or ids of tags that they get.').meta({ example: ['berlin'] }),
    RemoveTags: tags.describe('Names or ids of tags that they lose.').meta({ example: ['lab'] }),
    Maintenance: maintenanceStart
      .nullable()
      .optional()
      .describe('Starts maintenance of each; null ends what runs.'),
    Delete: z.boolean().default(false).describe('true deletes them; nothing else is sent then.'),
    Preview: z
      .boolean()
      .optional()
      .describe('true: nothing is changed, and the answer has a Token. Without a Token it is always so.'),
    Token: boundedText(100)
      .optional()
      .describe('Of the preview: does what was previewed.')
      .meta({ example: exampleId }),
  })
  .meta({
    id: 'BulkChange',
    description: 'A change of many devices.',
    example: { Filter: { Tag: 'lab' }, Set: { Severity: 'info' } },
  });

/** A change as it was requested. */
export type AskedChange = Omit<z.output<typeof deviceChange>, 'Preview' | 'Token'>;

/** The answer. */
export const deviceChangeOutcome = z
  .object({
    Matched: z.int().describe('How many devices Filter leaves.').meta({ example: 2 }),
    Changed: z
      .int()
      .describe('How many of them change, or are changed by now; the others have these settings already.')
      .meta({ example: 1 }),
    Refused: z
      .array(z.object({ device_id: idField, Reason: z.string() }))
      .describe(`Devices that are not changed, the first ${maxRejected}, each with the reason.`)
      .meta({ example: [{ device_id: exampleId, Reason: 'It is the master of other devices.' }] }),
    Token: idField
      .describe('Sent with the same body within an hour, it does what was previewed.')
      .meta({ example: exampleId }),
    Done: z.boolean().describe('false: it is a preview, or still runs.').meta({ example: false }),
  })
  .meta({ id: 'BulkChangeOutcome', description: 'What a change of many devices does, or has done.' });

/** The outcome of a change so far. */
export type DeviceChangeOutcome = z.output<typeof deviceChangeOutcome>;
