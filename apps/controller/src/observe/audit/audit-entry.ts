import { idField, timestampField } from '@vantage/rest-kit/field';
import type { Zone } from '@vantage/rest-kit/zone';
import { z } from 'zod';
import type { AuditRow } from './audit-store.ts';

export const actions = { create: 'Create', update: 'Update', delete: 'Delete', refuse: 'Refuse' } as const;
export const storedActions = ['create', 'update', 'delete', 'refuse'] as const;
export const kinds = [
  'account',
  'key',
  'location',
  'agent',
  'device',
  'devices',
  'tag',
  'secret',
  'contact',
  'nschedule',
  'mschedule',
  'hook',
  'page',
  'report',
  'alert',
  'session',
  'user',
  'maintenance',
  'outage',
  'mark',
  'delivery',
  'installation',
] as const;

const value = z.unknown().meta({
  description:
    'As the API shows the field: a secret is `***`. null: no value. Of a longer value than 4,096 characters the beginning.',
});

const change = z.strictObject({
  Field: z.string().describe("The field's name.").meta({ example: 'Timeout' }),
  Old: value.meta({ example: 30 }),
  New: value.meta({ example: 10 }),
});

export const auditEntry = z
  .strictObject({
    audit_id: idField,
    Timestamp: timestampField,
    Actor: z
      .string()
      .describe(
        "The API key's name (its id where it has no name), `command line (USER)` with the user of the controller's host, or `stranger`, who signed in to nothing.",
      )
      .meta({ example: 'deploy' }),
    Address: z
      .string()
      .nullable()
      .describe('Address of the caller; null for the command line.')
      .meta({ example: '192.0.2.10' }),
    Action: z
      .enum(['Create', 'Update', 'Delete', 'Refuse'])
      .describe('What happened. Refuse: a sign-in was refused.')
      .meta({ example: 'Update' }),
    Kind: z.enum(kinds).describe('What kind of thing changed.').meta({ example: 'device' }),
    Id: idField.describe('Id of the thing that changed, for example its device_id.'),
    Changes: z.array(change).meta({
      description:
        'The changed fields; of a deleted thing those by which people know it. Devices of a tag: the device that was attached (New) or detached (Old).',
      example: [{ Field: 'Timeout', Old: 30, New: 10 }],
    }),
  })
  .meta({ id: 'AuditEntry', description: 'A change of the account or of a thing of it.' });

const storedChanges = z.array(change);

export function show(row: AuditRow, zone: Zone): z.input<typeof auditEntry> {
  return {
    audit_id: row.audit_id,
    Timestamp: zone.format(row.at_us),
    Actor: row.actor,
    Address: row.address,
    Action: actions[row.action],
    Kind: z.enum(kinds).parse(row.kind),
    Id: row.id,
    Changes: storedChanges.parse(row.changes),
  };
}
