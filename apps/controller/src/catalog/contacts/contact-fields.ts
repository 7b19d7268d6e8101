import { bodyTypes, contactTypeNames, contactTypes, defaultBodyType, notifyKinds } from '@vantage/alerts';
import { boundedText } from '@vantage/kernel';
import { idField, lineField, shownTimes, timeNames, timestampField } from '@vantage/rest-kit/field';
import { z } from 'zod';
import { identityFields, shownIdentity } from '../../resources/external-key.ts';

const name = lineField(200, 1)
  .describe('Name of the contact; need not be unique.')
  .meta({ example: 'Operations' });
const address = boundedText(2048, 1)
  .describe(
    'Where its messages go: an e-mail address, the id of a Telegram chat, or a web address that begins with https:// (docs/contacts.md has one of each Type). Credentials in it come back as `***`; the mask may be sent back while scheme, host, port and user stay.',
  )
  .meta({ example: 'noc@example.org' });
const secretTypes = contactTypeNames.flatMap((type) => {
  const { secret } = contactTypes[type];
  return secret === null ? [] : [`${type} (${secret.isRequired ? '' : 'optional; '}${secret.hint})`];
});
const secret = boundedText(200, 1)
  .nullable()
  .optional()
  .meta({
    description: `Signs the messages of a webhook, or is the receiver's credential. Never returned; null: none. Types that have one: ${secretTypes.join('; ')}.`,
    writeOnly: true,
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  });
const notify = z
  .array(z.enum(notifyKinds))
  .max(notifyKinds.length)
  .nullable()
  .optional()
  .describe('The kinds of messages that it gets; null: all.')
  .meta({ example: ['device.down', 'device.up'] });

/** Options as they are sent and shown. The Type of a contact decides which of them it has. */
const options = z
  .strictObject({
    To: boundedText(20).optional().meta({
      description: 'sms: the phone number with + and the country.',
      example: '+4712345678',
    }),
    Body: boundedText(8_000, 1).optional().meta({
      description:
        'sms and template: the body, with names instead of facts: {{Text}}, {{ShortName}} … (docs/contacts.md). Values are escaped as ContentType needs it.',
      example: '{"text": "{{Text}}"}',
    }),
    ContentType: z
      .enum(bodyTypes)
      .optional()
      .describe(`sms and template: what the Body is (default ${defaultBodyType}).`),
    SecretHeader: boundedText(64, 1).optional().meta({
      description:
        'sms and template: the header that carries the Secret. Default Authorization; none where the Body has {{Secret}}.',
      example: 'X-Api-Key',
    }),
  })
  .nullable()
  .meta({ id: 'ContactOptions', description: 'Options of the Type, replaced as a whole; null: none.' });

const shadow = z
  .boolean()
  .describe(
    'It gets nothing. Every decision and message for it is recorded, so that you can compare them with another system (GET /alerts?Shadow=Y).',
  )
  .meta({ example: false });

/** The body of POST /contacts. */
export const contactCreate = z
  .strictObject({
    Name: name,
    Type: z.enum(contactTypeNames).describe('How messages reach it. Cannot be changed later.'),
    Address: address,
    Secret: secret,
    Options: options.optional(),
    Notify: notify,
    Shadow: shadow.optional(),
    ...identityFields,
  })
  .meta({
    id: 'ContactCreate',
    example: {
      Name: 'Operations',
      Type: 'email',
      Address: 'noc@example.org',
      Notify: ['device.down', 'device.up'],
      ExternalKey: 'cmdb-4711',
    },
  });

/** The body of PUT /contacts/{contact_id}: what is absent stays as it is. */
export const contactUpdate = z
  .strictObject({
    Name: name.optional(),
    Type: boundedText(100).optional().describe('May be sent back; cannot be changed.'),
    Address: address.optional(),
    Secret: secret,
    Options: options.optional(),
    Notify: notify,
    Shadow: shadow.optional(),
    ...identityFields,
  })
  .meta({ id: 'ContactUpdate' });

/** A contact as answers show it. */
export const contactFull = z
  .strictObject({
    contact_id: idField,
    Name: z.string(),
    Type: z.enum(contactTypeNames),
    Address: z.string().describe('Credentials are `***`.'),
    Options: options,
    Notify: z.array(z.enum(notifyKinds)).nullable().describe('Kinds of messages that it gets; null: all.'),
    Shadow: shadow,
    ExternalKey: shownIdentity.ExternalKey,
    PreviousSecretUntil: timestampField
      .nullable()
      .describe('The secret before the last rotation also signs until then; null: there is none.'),
    UpdatedAt: timestampField,
    Source: shownIdentity.Source,
    CreatedAt: shownTimes.CreatedAt,
  })
  .meta({ id: 'Contact' });

/** The fields that a contact's GET returns and no request sets. */
export const contactReadOnly = ['contact_id', 'PreviousSecretUntil', ...timeNames] as const;

/** Settings of a contact as sent, good fields only. */
export type SentContact = {
  readonly [Field in keyof z.output<typeof contactUpdate>]?:
    | z.output<typeof contactUpdate>[Field]
    | undefined;
};

/** Options as a row holds them; what cannot be read is null. */
export function readOptions(stored: unknown): z.output<typeof options> {
  return options.safeParse(stored).data ?? null;
}
