import { contactTypes } from '@vantage/alerts';
import { boundedText } from '@vantage/kernel';
import { timestampField } from '@vantage/rest-kit/field';
import { z } from 'zod';
import { isMailbox } from '../../config/accepted-settings.ts';
import { settingVariables } from './installation-settings.ts';
import { mailSecurities } from './mail-server.ts';

const host = boundedText(253, 1)
  .regex(/^[A-Za-z0-9._:-]+$/, {
    error: 'must be a host name or an address, without a port: mail.example.org',
  })
  .describe('Host name or address of the mail server.')
  .meta({ example: 'mail.example.org' });

const security = z
  .enum(mailSecurities)
  .describe(
    'TLS: from the start, usually at port 465. STARTTLS: the connection must become encrypted, usually at port 587. Optional: it becomes encrypted if the server offers it. None: never.',
  )
  .meta({ example: 'STARTTLS' });

const mailServerFields = {
  Host: host,
  Port: z.int().min(1).max(65_535).default(587).describe('Port.').meta({ example: 587 }),
  Security: security.default('STARTTLS'),
  VerifyCertificate: z
    .boolean()
    .default(true)
    .describe('false: accept a certificate that this controller cannot verify.'),
  User: boundedText(256, 1)
    .nullable()
    .default(null)
    .describe('Name for the login; null: the server needs none.')
    .meta({ example: 'vantage@example.org' }),
  Password: boundedText(1024, 1)
    .nullable()
    .default(null)
    .describe(
      'Password for the login. Answers show `***`; the mask may be sent back while all other fields stay the same.',
    ),
};

const mailServer = z.strictObject(mailServerFields).meta({
  id: 'MailServer',
  description: 'The SMTP server that sends all e-mails. Sent as a whole: an absent field gets its default.',
});

/** An e-mail address, or `Name <address>`. */
const mailFrom = boundedText(300, 1)
  .refine(isMailbox, { error: 'must be an e-mail address, also with a name: Vantage <vantage@example.org>' })
  .describe('Sender of e-mails, an address with or without a name.')
  .meta({ example: 'Vantage <vantage@example.org>' });

/** The body of PUT /installation/settings. */
export const settingsUpdate = z
  .strictObject({
    MailServer: mailServer.nullable().optional().describe('The server that sends all e-mails; null: none.'),
    MailFrom: mailFrom
      .nullable()
      .optional()
      .describe('Sender of e-mails, an address with or without a name; null: the default.'),
    PrivateWebhooks: z
      .boolean()
      .nullable()
      .optional()
      .describe(
        'Whether webhooks and chats may have private and loopback addresses, and plain HTTP; null: the default.',
      )
      .meta({ example: false }),
  })
  .meta({
    id: 'InstallationSettingsUpdate',
    description: 'Settings of the installation: what is absent stays, null is the default.',
  });

export type SentSettings = z.output<typeof settingsUpdate>;
export type SentMailServer = z.output<typeof mailServer>;

const variable = (name: string) =>
  z
    .string()
    .nullable()
    .describe(`${name} if the operator set it there; null: the field can be changed.`)
    .meta({ example: name });

/** The settings as answers show them. */
export const settingsFull = z
  .strictObject({
    MailServer: z
      .strictObject({
        ...mailServerFields,
        Host: z
          .string()
          .describe('Host name or address of the mail server.')
          .meta({ example: 'mail.example.org' }),
        User: z
          .string()
          .nullable()
          .describe('Name for the login; null: the server needs none.')
          .meta({ example: 'vantage@example.org' }),
        Password: z.string().nullable().describe('`***`; null: there is none.').meta({ example: '***' }),
      })
      .meta({ id: 'ShownMailServer', description: 'The SMTP server that sends all e-mails.' })
      .nullable()
      .describe('The server that sends all e-mails; null: none is set, so no e-mail is sent.'),
    MailFrom: z.string().describe('Sender of e-mails.').meta({ example: 'Vantage <vantage@example.org>' }),
    PrivateWebhooks: z
      .boolean()
      .describe('Webhooks and chats may have private and loopback addresses, and plain HTTP.'),
    SetBy: z
      .strictObject({
        MailServer: variable(settingVariables.MailServer),
        MailFrom: variable(settingVariables.MailFrom),
        PrivateWebhooks: variable(settingVariables.PrivateWebhooks),
      })
      .meta({
        id: 'InstallationSettingVariables',
        description: 'The environment variables that set a field, and so come before these settings.',
      }),
    UpdatedAt: timestampField.nullable().describe('When a person changed them last; null: never.'),
  })
  .meta({ id: 'InstallationSettings', description: 'Settings that apply to the whole installation.' });

/** The body of POST /installation/settings/test. */
export const settingsTest = z
  .strictObject({
    MailServer: mailServer.optional().describe('Default: the one that applies.'),
    MailFrom: mailFrom.optional().describe('Default: the one that applies.'),
    To: boundedText(320, 1)
      .refine((text) => contactTypes.email.addressFault(text, { allowPrivate: false }) === null, {
        error: 'must be an e-mail address: noc@example.org',
      })
      .describe('The test e-mail goes to this address.')
      .meta({ example: 'noc@example.org' }),
  })
  .meta({ id: 'InstallationSettingsTest', description: 'Settings of e-mail to try before they are saved.' });

export const mailTestSteps = ['Name', 'Connect', 'TLS', 'Login', 'Accepted'] as const;
export const mailTestStates = ['Passed', 'Failed', 'Skipped', 'NotReached'] as const;

/** The result of a test. */
export const settingsTested = z
  .strictObject({
    Accepted: z.boolean().describe('Whether the mail server accepted the test e-mail.'),
    Steps: z
      .array(
        z
          .strictObject({
            Step: z
              .enum(mailTestSteps)
              .describe('Name: resolve the host. Connect: connect, and read the greeting of an SMTP server.'),
            State: z.enum(mailTestStates).describe('NotReached: an earlier step failed.'),
            Text: z
              .string()
              .describe('What happened, for people, without secrets.')
              .meta({ example: 'mail.example.org is 192.0.2.25' }),
            Milliseconds: z
              .number()
              .nullable()
              .describe('How long it took; null: it did not run.')
              .meta({ example: 12.3 }),
          })
          .meta({ id: 'MailTestStep', description: 'A step of sending an e-mail.' }),
      )
      .describe('The steps in their order.')
      .meta({
        example: [
          { Step: 'Name', State: 'Passed', Text: 'mail.example.org is 192.0.2.25', Milliseconds: 12.3 },
        ],
      }),
  })
  .meta({ id: 'InstallationSettingsTested', description: 'How far a test e-mail came.' });
