import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import { idField, lineField, shownTimes, timeNames, timestampField } from '../../rest/http/field.ts';
import { identityFields, shownIdentity } from '../external-key.ts';
import { scopeField, shownScope } from '../keys/scope.ts';
import { longestLogo, mostLogoBytes, readLogo } from './logo.ts';
import { backgrounds } from './status/style.ts';

/** The least contrast of a text and its background (WCAG 2.2, criterion 1.4.3, level AA). */
export const leastContrast = 4.5;

/** Parts of a status page that are not shown unless they are allowed. */
export const pageParts = ['URL', 'CheckResult', 'Location'] as const;
export type PagePart = (typeof pageParts)[number];

/** Who may read a status page. */
export const pageAccess = ['Public', 'Password', 'SignedIn'] as const;

/** Kinds of notes, as people write them while something is wrong. */
const noteKinds = [
  'Investigating',
  'Identified',
  'Monitoring',
  'Resolved',
  'Maintenance',
  'Information',
] as const;

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
  description: 'Opens a page with the Access Password; never returned. Null takes it away.',
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
      if (!(contrast < leastContrast)) return;
      const shown = Math.floor(contrast * 10) / 10;
      context.addIssue(
        `has a contrast of ${shown}:1 with the page's background ${background}; text needs ${leastContrast}:1 (WCAG AA), as ${readableOn(colour, background)} has`,
      );
    })
    .describe(
      `The colour as #rrggbb; its contrast with ${backgrounds[theme]} is at least ${leastContrast}:1.`,
    );

const accent = z
  .strictObject({
    Light: accentOn('Light').meta({ example: '#a3123f' }),
    Dark: accentOn('Dark').meta({ example: '#ff8fab' }),
  })
  .meta({
    id: 'PageAccent',
    description: 'The colour of links, buttons and the line at the top, on light and on dark.',
  });

const logo = boundedText(longestLogo + 1_000)
  .superRefine((text, context) => {
    const read = readLogo(text);
    if (typeof read === 'string') context.addIssue(read);
  })
  .nullable()
  .optional()
  .describe(
    `A PNG or JPEG image as a data URL, at most ${mostLogoBytes} bytes and 1200 × 400 pixels; shown 40 pixels high. Null: none.`,
  )
  .meta({ example: null });

const footer = boundedText(1_000, 1)
  .nullable()
  .optional()
  .describe('Lines at the end of the page; addresses that begin with https:// become links. Null: none.')
  .meta({ example: 'Example Ltd. · Questions: https://example.org/contact' });

const isMoment = (text: string) => !Number.isNaN(Date.parse(text));
const sentNote = z
  .strictObject({
    At: boundedText(40)
      .regex(
        /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$/,
        'must be a time with its zone, for example 2026-11-26T09:30:00Z',
      )
      .refine(isMoment, {
        error: 'is no moment of the calendar; accepted is for example 2026-11-26T09:30:00Z',
      })
      .describe('When it was written, or when it begins.'),
    Kind: z.enum(noteKinds).describe('The stage of the incident, or the kind of the note.'),
    Text: boundedText(4_000, 1)
      .describe('What people write, in one or more lines.')
      .meta({ example: 'We are replacing a router. Some customers cannot reach the shop.' }),
  })
  .meta({ id: 'PageNoteSent', description: 'A note on a status page.' });

const notes = z
  .array(sentNote)
  .max(100)
  .describe('Notes of people, in any order; the page shows the newest first.');

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

const storedNotes = z.array(
  z.object({ AtUs: z.number(), Kind: z.enum(noteKinds), Text: z.string() }).readonly(),
);

/** A note as a row holds it. */
export type StoredNote = z.output<typeof storedNotes>[number];

/** The notes of a row, the newest first; what cannot be read is left out. */
export function readNotes(stored: unknown): readonly StoredNote[] {
  return storedNotes.safeParse(stored).data ?? [];
}

/** The contrast of two colours, each as #rrggbb: 1 to 21 (WCAG 2.2, "contrast ratio"). Pure. */
export function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** WCAG 2.2, "relative luminance". */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = partsOf(colour).map((part) =>
    part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function partsOf(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

/** The colour that is like this one and has the least contrast with the background or more. Pure. */
export function readableOn(colour: string, background: string): string {
  const target = luminanceOf(background) > 0.2 ? 0 : 255;
  for (let step = 0; step < steps; step += 1) {
    const mixed = partsOf(colour).map((part) => Math.round(part + ((target - part) * step) / steps));
    const found = `#${mixed.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
    if (contrastOf(found, background) >= leastContrast) return found;
  }
  return target === 0 ? '#000000' : '#ffffff';
}

const steps = 50;
