import { boundedText } from '@vantage/kernel';
import { idField, lineField, shownTimes, timeNames, timestampField } from '@vantage/rest-kit/field';
import { z } from 'zod';
import { scopeField, shownScope } from '../../access/keys/key-scope.ts';
import { identityFields, shownIdentity } from '../../resources/external-key.ts';

/** The maximum of contacts of a report. */
const maxContacts = 50;

const name = lineField(200, 1)
  .describe('The name of the report; the subjects of its mails begin with it.')
  .meta({ example: 'Shop, monthly' });
const tags = scopeField.describe(
  'The report covers the devices with one of these tags: names, ids, or the objects that a GET returns; null: all devices.',
);
const contacts = z
  .array(boundedText(220, 1))
  .min(1)
  .max(maxContacts)
  .describe('The contacts that get it: ids, or key: and an ExternalKey, of contacts of the Type email.')
  .meta({ example: ['27ffe370b5a1f0c4d86e9a3257b81c6f4e0d92a7c35b18fe'] });
const objective = z
  .number()
  .gt(0)
  .max(100)
  .refine((value) => Math.abs(value * 1_000 - Math.round(value * 1_000)) < 1e-6, {
    error: 'must be a percentage with up to three decimals, for example 99.9',
  })
  .nullable()
  .describe('The uptime in percent that is agreed, with up to three decimals; null: none.')
  .meta({ example: 99.9 });

/** The body of POST /reports. */
export const reportCreate = z
  .strictObject({
    Name: name,
    Contacts: contacts,
    Tags: tags.optional(),
    Objective: objective.optional(),
    ...identityFields,
  })
  .meta({ id: 'MonthlyReportCreate', description: 'The settings of a new monthly report.' });

/** The body of PUT /reports/{report_id}: what is absent stays as it is. */
export const reportUpdate = reportCreate
  .partial()
  .meta({ id: 'MonthlyReportUpdate', description: 'Settings of a monthly report: what is absent stays.' });

/** A monthly report as answers show it. */
export const reportFull = z
  .strictObject({
    report_id: idField,
    Name: z.string(),
    Contacts: z.array(idField).describe('The contacts that get it, in the order in which they were made.'),
    Tags: shownScope.describe('The tags whose devices it covers; null: all devices.'),
    Objective: z.number().nullable().describe('The uptime in percent that is agreed; null: none.'),
    ExternalKey: shownIdentity.ExternalKey,
    Source: shownIdentity.Source,
    Next: timestampField.describe(
      'The next mails are sent after this time, as soon as the roll-ups of the last day exist: the start of a month in the zone of the account.',
    ),
    LastMonth: z
      .string()
      .nullable()
      .describe('The last month of which mails were made; null: none yet.')
      .meta({ example: '2026-10' }),
    LastAnswer: z
      .string()
      .nullable()
      .describe('How the last mail went that was delivered or given up; null: none yet.')
      .meta({ example: 'noc@example.org: accepted by the mail server' }),
    UpdatedAt: shownTimes.UpdatedAt,
    CreatedAt: shownTimes.CreatedAt,
  })
  .meta({ id: 'MonthlyReport', description: 'A report that is sent by mail after each month.' });

/** The fields that a report's GET returns and no request sets. */
export const reportReadOnly = ['report_id', 'Next', 'LastMonth', 'LastAnswer', ...timeNames] as const;

/** Settings of a report as sent, good fields only. */
export type SentReport = {
  readonly [Field in keyof z.output<typeof reportUpdate>]?: z.output<typeof reportUpdate>[Field] | undefined;
};
