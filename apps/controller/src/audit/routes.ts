import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../db/index.ts';
import { idField, timestampField } from '../http/field.ts';
import { beforeQuery, cutCursor, readCursor } from '../http/paging.ts';
import { missing } from '../http/problem.ts';
import { noSubject, type Route, route } from '../http/route.ts';
import { readSpan, spanQuery } from '../http/time-span.ts';
import type { Zone } from '../http/zone.ts';
import { type AuditRow, findEntryNo, listEntries } from './audit-store.ts';

const actions = { create: 'Create', update: 'Update', delete: 'Delete', refuse: 'Refuse' } as const;
const storedActions = ['create', 'update', 'delete', 'refuse'] as const;
const kinds = [
  ...['account', 'key', 'location', 'agent', 'device', 'devices', 'tag', 'secret'],
  ...[
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
    'delivery',
  ],
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

const auditEntry = z
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

const query = z.object({
  Kind: z.enum(kinds).optional().describe('Changes of this kind of thing only.').meta({ example: 'device' }),
  Id: boundedText(100).optional().describe('Changes of the thing with this id only, also of a deleted one.'),
  Actor: boundedText(200, 1)
    .optional()
    .describe('Changes by this actor only, as entries name it.')
    .meta({ example: 'deploy' }),
  Action: z
    .enum(['Create', 'Update', 'Delete', 'Refuse'])
    .optional()
    .describe('Entries with this Action only.'),
  ...spanQuery,
  ...beforeQuery('audit_id'),
});

/** Reading the audit: who changed what in the account. */
export function auditRoutes(db: Db): Route[] {
  return [
    route({
      method: 'GET',
      path: '/audit',
      level: 'UR',
      tag: 'Audit',
      summary: 'Who changed what, newest first.',
      description:
        'Every change of the account, its keys, Locations, agents, devices, tags, secrets, contacts and schedules, by the API or the command line. An entry is written in the transaction of its change, and stays when the thing is deleted. No entry has a secret. Sign-ins that were refused have the Action Refuse, with the reason in Changes; of those from one address there is at most one entry a minute, with their number in Attempts.',
      subject: noSubject,
      query,
      response: z.array(auditEntry),
      names: { root: 'audit', row: 'entry', id: 'audit_id' },
      handler: async ({ session: { accountNo, zone }, query: asked }) => {
        const { limit, offset, cursor } = readCursor(asked, 'audit_id');
        const beforeNo = cursor === undefined ? undefined : await findEntryNo(db, accountNo, cursor);
        if (cursor !== undefined && beforeNo === undefined) throw missing('audit entry');
        const action = storedActions.find((each) => actions[each] === asked.Action);
        const only = { kind: asked.Kind, id: asked.Id, actor: asked.Actor, action };
        const page = { ...only, span: readSpan(asked, zone), beforeNo, limit, offset };
        const found = await listEntries(db, accountNo, page);
        const { rows, next } = cutCursor(found, limit, 'before', (row) => row.audit_id);
        return { body: rows.map((row) => show(row, zone)), next };
      },
    }),
  ];
}

const storedChanges = z.array(change);

function show(row: AuditRow, zone: Zone): z.input<typeof auditEntry> {
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
