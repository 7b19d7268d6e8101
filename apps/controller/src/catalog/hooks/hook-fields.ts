import { type EventType, eventTypes } from '@vantage/health';
import { boundedText } from '@vantage/kernel';
import { idField, lineField, shownTimes, timeNames, timestampField } from '@vantage/rest-kit/field';
import { z } from 'zod';
import { identityFields, shownIdentity } from '../../resources/external-key.ts';

const name = lineField(200, 1).describe('Name of the hook.').meta({ example: 'Data warehouse' });
const address = boundedText(2048, 1)
  .describe(
    'The web address to which events are posted, beginning with https://. Credentials in it come back as `***`; the mask may be sent back while scheme, host, port and user stay.',
  )
  .meta({ example: 'https://events.example.org/vantage' });
const secret = boundedText(200, 1).meta({
  description: 'Signs the messages (Standard Webhooks): whsec_ and 24 to 64 bytes in base64. Never returned.',
  writeOnly: true,
  example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
});
const events = z
  .array(z.enum(eventTypes))
  .min(1)
  .max(eventTypes.length)
  .nullable()
  .describe('The types of events that it gets; null: all.')
  .meta({ example: ['Down', 'Up'] satisfies EventType[] });
const sentTag = z
  .union([lineField(200, 1), z.strictObject({ tag_id: boundedText(100), Name: boundedText(200).optional() })])
  .nullable()
  .describe(
    'Events of the devices with this tag only: its name or id, or the object that a GET returns; null: all events.',
  )
  .meta({ example: 'berlin' });

/** The body of POST /hooks. */
export const hookCreate = z
  .strictObject({
    Name: name,
    Address: address,
    Secret: secret,
    Events: events.optional(),
    Tag: sentTag.optional(),
    ...identityFields,
  })
  .meta({ id: 'HookCreate', description: 'The settings of a new hook.' });

/** The body of PUT /hooks/{hook_id}: what is absent stays as it is. */
export const hookUpdate = hookCreate
  .partial()
  .meta({ id: 'HookUpdate', description: 'Settings of a hook: what is absent stays.' });

/** A hook as answers show it. */
export const hookFull = z
  .strictObject({
    hook_id: idField,
    Name: z.string(),
    Address: z.string().describe('Credentials are `***`.'),
    Events: z.array(z.enum(eventTypes)).nullable().describe('The types of events that it gets; null: all.'),
    Tag: z
      .strictObject({ tag_id: idField, Name: z.string() })
      .nullable()
      .describe('Events of the devices with this tag only; null: all events.'),
    ExternalKey: shownIdentity.ExternalKey,
    Source: shownIdentity.Source,
    FailingSince: timestampField
      .nullable()
      .describe('Since then no attempt succeeded; null: the last attempt did, or there was none.'),
    LastDelivered: timestampField.nullable().describe('When the receiver accepted an event last.'),
    LastAnswer: z
      .string()
      .nullable()
      .describe('The answer of the last attempt, or why there was none.')
      .meta({ example: 'HTTP 200 OK' }),
    GivenUp: z.int().describe('Events that were not delivered within 72 hours, or were refused for good.'),
    UpdatedAt: shownTimes.UpdatedAt,
    CreatedAt: shownTimes.CreatedAt,
  })
  .meta({ id: 'Hook', description: 'An address to which events are posted.' });

/** The fields that a hook's GET returns and no request sets. */
export const hookReadOnly = [
  'hook_id',
  'FailingSince',
  'LastDelivered',
  'LastAnswer',
  'GivenUp',
  ...timeNames,
] as const;

/** Settings of a hook as sent, good fields only. */
export type SentHook = {
  readonly [Field in keyof z.output<typeof hookUpdate>]?: z.output<typeof hookUpdate>[Field] | undefined;
};
