import { boundedText } from '@vantage/kernel';
import { idField, lineField, shownTimes, timeNames, timestampField } from '@vantage/rest-kit/field';
import { z } from 'zod';
import { scopeField, shownScope } from '../../access/keys/key-scope.ts';
import { identityFields, shownIdentity } from '../../resources/external-key.ts';
import { contrastOf, minContrast, readableOn } from './contrast.ts';
import { maxLogoBytes, maxLogoLength, readLogo } from './logo.ts';
import { backgrounds } from './public/style.ts';
import { noteKinds, notes } from './status-page-notes.ts';

/** Parts of a status page that are not shown unless they are allowed. */
export const pageParts = ['URL', 'CheckResult', 'Location'] as const;

export type PagePart = (typeof pageParts)[number];

/** The readers of a status page. */
export const pageAccess = ['Public', 'Password', 'SignedIn'] as const;

const name = lineField(200, 1)
  .describe('The title of the page, and its name in lists.')
  .meta({ example: 'Example services' });

const path = boundedText(64)
  .regex(
    /^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$/,
    "must be 1 to 64 small letters, digits and '-', for example customers",
  )
  .describe('The page is at /status/PATH. Unique among the pages of the whole installation.')
  .meta({ example: 'customers' });

const access = z
  .enum(pageAccess)
  .describe(
    'Public: everybody. Password: whoever sends Password. SignedIn: people and keys of the account, as they are signed in at the page of this controller.',
  );

const password = boundedText(200, 8).nullable().optional().meta({
  description: 'Opens a page with the Access Password; never returned. Null removes it.',
  writeOnly: true,
  example: 'see-our-status',
});

const tags = scopeField.describe(
  'The page shows the devices with one of these tags, a section for each: names, ids, or the objects that a GET returns; null: all devices.',
);

const shows = z
  .strictObject({
    URL: z.boolean().default(false).describe('Addresses of devices, without credentials.'),
    CheckResult: z.boolean().default(false).describe('The text of the last check of what is not Up.'),
    Location: z.boolean().default(false).describe('Names of the Locations that check a device.'),
  })
  .meta({ id: 'PageShow', description: 'What the page shows besides names, statuses and times.' });

const accentOn = (theme: keyof typeof backgrounds) =>
  boundedText(7)
    .regex(/^#[0-9a-f]{6}$/i, 'must be a colour as #rrggbb, for example #3152cf')
    .superRefine((colour, context) => {
      const background = backgrounds[theme];
      const contrast = contrastOf(colour, background);
      if (!(contrast < minContrast)) return;
      const shown = Math.floor(contrast * 10) / 10;
      context.addIssue(
        `has a contrast of ${shown}:1 with the page's background ${background}; text needs ${minContrast}:1 (WCAG AA), as ${readableOn(colour, background)} has`,
      );
    })
    .describe(`The colour as #rrggbb; its contrast with ${backgrounds[theme]} is at least ${minContrast}:1.`);

const accent = z
  .strictObject({
    Light: accentOn('Light').meta({ example: '#a3123f' }),
    Dark: accentOn('Dark').meta({ example: '#ff8fab' }),
  })
  .meta({
    id: 'PageAccent',
    description: 'The colour of links, buttons and the line at the top, on light and on dark.',
  });

const logo = boundedText(maxLogoLength + 1_000)
  .superRefine((text, context) => {
    const read = readLogo(text);
    if (typeof read === 'string') context.addIssue(read);
  })
  .nullable()
  .optional()
  .describe(
    `A PNG or JPEG image as a data URL, at most ${maxLogoBytes} bytes and 1200 × 400 pixels; shown 40 pixels high. Null: none.`,
  )
  .meta({ example: null });

const footer = boundedText(1_000, 1)
  .nullable()
  .optional()
  .describe('Lines at the end of the page; addresses that begin with https:// become links. Null: none.')
  .meta({ example: 'Example Ltd. · Questions: https://example.org/contact' });

/** The body of POST /pages. */
export const pageCreate = z
  .strictObject({
    Name: name,
    Path: path,
    Tags: tags.optional(),
    Access: access.optional(),
    Password: password,
    Show: shows.optional(),
    Notes: notes.optional(),
    Logo: logo,
    Accent: accent
      .nullable()
      .optional()
      .describe('A colour for links, buttons and a line at the top; null: that of Vantage.')
      .meta({ example: { Light: '#a3123f', Dark: '#ff8fab' } }),
    Footer: footer,
    ...identityFields,
  })
  .meta({ id: 'PageCreate', description: 'The settings of a new status page.' });

/** The body of PUT /pages/{page_id}: what is absent stays as it is. */
export const pageUpdate = pageCreate
  .partial()
  .meta({ id: 'PageUpdate', description: 'Settings of a status page: what is absent stays.' });

/** A status page as answers show it. */
export const pageFull = z
  .strictObject({
    page_id: idField,
    Name: z.string(),
    Path: z.string(),
    Tags: shownScope.describe('The tags whose devices it shows; null: all devices.'),
    Access: access,
    Show: z
      .strictObject({ URL: z.boolean(), CheckResult: z.boolean(), Location: z.boolean() })
      .meta({ id: 'PageShown', description: 'What the page shows besides names, statuses and times.' }),
    Notes: z
      .array(
        z
          .strictObject({ At: timestampField, Kind: z.enum(noteKinds), Text: z.string() })
          .meta({ id: 'PageNote', description: 'A note on a status page.' }),
      )
      .describe('The newest first.'),
    Logo: z.string().nullable().describe('The image as a data URL; null: none.').meta({ example: null }),
    Accent: z.strictObject({ Light: z.string(), Dark: z.string() }).nullable().meta({
      id: 'PageAccentShown',
      description: 'The colour of links and buttons; null: that of Vantage.',
    }),
    Footer: z.string().nullable().describe('Lines at the end of the page; null: none.'),
    Address: z
      .string()
      .describe('Where the page is.')
      .meta({ example: 'https://vantage.example.org/status/customers' }),
    ExternalKey: shownIdentity.ExternalKey,
    Source: shownIdentity.Source,
    UpdatedAt: shownTimes.UpdatedAt,
    CreatedAt: shownTimes.CreatedAt,
  })
  .meta({ id: 'Page', description: 'A status page.' });

/** The fields that a page's GET returns and no request sets. */
export const pageReadOnly = ['page_id', 'Address', ...timeNames] as const;

/** Settings of a page as sent, good fields only. */
export type SentPage = {
  readonly [Field in keyof z.output<typeof pageUpdate>]?: z.output<typeof pageUpdate>[Field] | undefined;
};
