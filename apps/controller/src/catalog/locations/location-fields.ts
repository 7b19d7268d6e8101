import { baseStatuses, cleanLine, storedAnchorReports, storedAnchors } from '@vantage/domain';
import { anchorStatus } from '@vantage/health';
import { idField, lineField, shownTimes, showTimes, timeNames } from '@vantage/rest-kit/field';
import type { Zone } from '@vantage/rest-kit/zone';
import { z } from 'zod';
import {
  identityFields,
  referenceField,
  shownIdentity,
  showRowIdentity,
} from '../../resources/external-key.ts';
import { anchorsField } from './anchor-field.ts';
import type { LocationFacts } from './location-store.ts';

export const locationFull = z
  .strictObject({
    location_id: idField,
    Name: z.string(),
    ExternalKey: shownIdentity.ExternalKey,
    Anchors: storedAnchors.describe('Hosts on the way to the devices, near to far.'),
    AnchorStates: z
      .array(
        z.strictObject({
          Name: z.string().describe('Name of the anchor.').meta({ example: 'gateway' }),
          State: z
            .enum(baseStatuses)
            .describe('Unknown: no connected agent has checked it, or can.')
            .meta({ example: 'Up' }),
          Reason: z
            .string()
            .nullable()
            .describe(
              'The reason why it is Down or Unknown, from an agent; null: it is Up, or there is no reason.',
            )
            .meta({ example: null }),
        }),
      )
      .meta({
        description: 'The anchors as the connected agents find them.',
        example: [{ Name: 'gateway', State: 'Up', Reason: null }],
      }),
    nschedule_id: z.string().nullable(),
    PublicTargetsOnly: z.boolean(),
    Online: z.boolean(),
    OfflineReason: z
      .string()
      .nullable()
      .describe('The reason why it is offline; null: it is online, or the reason is unknown.'),
    Agents: z.strictObject({ Count: z.int(), Connected: z.int() }),
    Load: z
      .strictObject({
        Devices: z.int().meta({ description: 'Devices that it checks.', example: 61 }),
        ChecksPerMinute: z.number().describe('Regular checks that its devices need.'),
        Capacity: z.number().describe('Checks a minute that its connected agents can run.'),
      })
      .meta({
        description: 'What the Location has to do.',
        example: { Devices: 61, ChecksPerMinute: 12.2, Capacity: 60000 },
      }),
    Source: shownIdentity.Source,
    ...shownTimes,
  })
  .meta({ id: 'Location' });

export const readOnly = [
  'location_id',
  'Online',
  'OfflineReason',
  'Agents',
  'Load',
  'AnchorStates',
  ...timeNames,
] as const;

const name = lineField(200, 1)
  .describe('Name, one line; unique in the account. History shows a new name too.')
  .meta({ example: 'Oslo' });

const optional = {
  ...identityFields,
  PublicTargetsOnly: z
    .boolean()
    .optional()
    .describe('Devices with private addresses cannot be checked from here; default false.'),
  nschedule_id: referenceField
    .nullable()
    .optional()
    .describe(
      "Notification schedule of the alert that it is offline: its id, or key: and its ExternalKey; null: the account's.",
    ),
  Anchors: anchorsField,
};

export const locationCreate = z
  .strictObject({ Name: name, ...optional })
  .meta({ id: 'LocationCreate', description: 'A Location to create.' });

export const locationUpdate = z
  .strictObject({ Name: name.optional(), ...optional })
  .meta({ id: 'LocationUpdate', description: 'Changed settings of a Location; what is absent stays.' });

export function show(row: LocationFacts, zone: Zone): z.input<typeof locationFull> {
  const anchors = storedAnchors.safeParse(row.anchors).data ?? [];
  const reports = z.array(storedAnchorReports.catch([])).parse(row.anchor_states);
  return {
    location_id: row.location_id,
    Name: cleanLine(row.name),
    ...showRowIdentity(row),
    Anchors: anchors.map((anchor) => ({ ...anchor, Name: cleanLine(anchor.Name) })),
    AnchorStates: anchors.map((anchor) => {
      const { state, reason } = anchorStatus(anchor, reports);
      const Reason = reason === null ? null : cleanLine(reason);
      return { Name: cleanLine(anchor.Name), State: state, Reason };
    }),
    nschedule_id: row.nschedule_id,
    PublicTargetsOnly: row.public_targets_only,
    Online: row.online,
    OfflineReason: row.online ? null : row.offline_reason,
    Agents: { Count: row.agents, Connected: row.connected },
    Load: {
      Devices: row.devices,
      ChecksPerMinute: Math.round(row.per_minute * 1000) / 1000,
      Capacity: row.capacity,
    },
    ...showTimes(row, zone),
  };
}
