import { boundedText, idForm } from '@vantage/kernel';
import { idField, lineField, timestampField } from '@vantage/rest-kit/field';
import type { Zone } from '@vantage/rest-kit/zone';
import { z } from 'zod';

/** The kinds of marks that callers make. */
const markKinds = ['Deployment', 'Change', 'Note'] as const;
/** The kinds of marks on the time axis of a device. */
const shownKinds = [...markKinds, 'Maintenance', 'Restart'] as const;

/** A mark names at most this many tags, and as many devices. */
const maxNamed = 100;

const isWebAddress = (text: string) => {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol);
};

const textField = lineField(500, 1).describe('What happened, one line.').meta({ example: 'shop 4.18' });
const linkField = boundedText(2048, 1)
  .refine(isWebAddress, { error: 'must be an address that begins with https:// or http://' })
  .nullable()
  .describe('Where to read more; null: nowhere.')
  .meta({ example: 'https://ci.example.org/shop/4.18' });

const deviceId = boundedText(48, 48).regex(new RegExp(`^${idForm}$`), {
  error: 'must be the id of a device',
});

/** The body of POST /marks. */
export const markCreate = z
  .strictObject({
    Text: textField,
    Kind: z.enum(markKinds).describe('What kind of thing happened.'),
    Tags: z
      .array(lineField(200, 1))
      .max(maxNamed)
      .optional()
      .describe('Names or ids of tags: the mark is about the devices that have one of them.')
      .meta({ example: ['shop'] }),
    Devices: z
      .array(deviceId)
      .max(maxNamed)
      .optional()
      .describe('The devices that the mark is about. Tags, Devices, or both are sent.')
      .meta({ example: ['8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d'] }),
    At: boundedText(100)
      .nullable()
      .optional()
      .describe('When it happened: a timestamp of the last 400 days; null: now.')
      .meta({ example: '2026-02-25T22:38:03+01:00' }),
    Link: linkField.optional(),
  })
  .meta({
    id: 'MarkCreate',
    description: 'What happened at a moment.',
    example: { Text: 'shop 4.18', Kind: 'Deployment', Tags: ['shop'] },
  });

const value = z
  .unknown()
  .meta({ description: 'As the API shows the field: a secret is `***`. null: no value.', example: 10 });

/** A mark on the time axis of a device. */
export const markRecord = z
  .strictObject({
    Kind: z
      .enum(shownKinds)
      .describe('Change: of the settings of the device, or a change of which a caller told.'),
    At: timestampField.describe('When it happened; of maintenance its begin.'),
    End: timestampField.nullable().describe('The end of maintenance; null: it is a moment.'),
    Text: z
      .string()
      .describe('What happened: the changed settings, or the reason of maintenance; it may be empty.')
      .meta({ example: 'Timeout: 10 → 5' }),
    By: z
      .string()
      .nullable()
      .describe('Who did it, or told it; null: a schedule did, or it is not known.')
      .meta({ example: 'deploy' }),
    Link: z
      .string()
      .nullable()
      .describe('Where to read more; null: nowhere.')
      .meta({ example: 'https://ci.example.org/shop/4.18' }),
    Changes: z
      .array(z.strictObject({ Field: z.string().meta({ example: 'Timeout' }), Old: value, New: value }))
      .describe('The changed settings of the device; empty for other marks.'),
    mark_id: idField.nullable().describe('Of a mark that was made by POST /marks.'),
    audit_id: idField.nullable().describe('The entry of the audit, of a change of the device.'),
    maintenance_id: idField.nullable().describe('The maintenance.'),
    mschedule_id: idField.nullable().describe('The maintenance schedule that planned it.'),
  })
  .meta({ id: 'Mark', description: 'Something that happened to a device, for its time axis.' });

type Mark = z.input<typeof markRecord>;

/** A row of any source. Times are microseconds since 1970. */
export interface MarkRow {
  readonly kind: Mark['Kind'];
  readonly at_us: number;
  readonly end_us: number | null;
  readonly text: string;
  readonly author: string | null;
  readonly link: string | null;
  readonly changes: Mark['Changes'];
  readonly mark_id: string | null;
  readonly audit_id: string | null;
  readonly maintenance_id: string | null;
  readonly mschedule_id: string | null;
}

/** A mark as an answer shows it. Pure. */
export function showMark(row: MarkRow, zone: Zone): Mark {
  return {
    Kind: row.kind,
    At: zone.format(row.at_us),
    End: row.end_us === null ? null : zone.format(row.end_us),
    Text: row.audit_id === null ? row.text : changeWords(row.text, row.changes),
    By: row.author,
    Link: row.link,
    Changes: [...row.changes],
    mark_id: row.mark_id,
    audit_id: row.audit_id,
    maintenance_id: row.maintenance_id,
    mschedule_id: row.mschedule_id,
  };
}

const maxWords = 500;

/** A change of settings in one line. `action` is that of the audit. */
function changeWords(action: string, changes: Mark['Changes']): string {
  if (action === 'create') return 'created';
  const words = changes
    .map(({ Field, Old, New }) => `${Field}: ${valueWords(Old)} → ${valueWords(New)}`)
    .join(', ');
  return words.length > maxWords ? `${words.slice(0, maxWords)}…` : words;
}

function valueWords(shown: unknown): string {
  if (shown === null || shown === undefined) return 'none';
  return typeof shown === 'string' ? shown : JSON.stringify(shown);
}
