import { boundedText } from '@vantage/kernel';
import { z } from 'zod';

/** Kinds of notes, as people write them while something is wrong. */
export const noteKinds = [
  'Investigating',
  'Identified',
  'Monitoring',
  'Resolved',
  'Maintenance',
  'Information',
] as const;

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

export const notes = z
  .array(sentNote)
  .max(100)
  .describe('Notes of people, in any order; the page shows the newest first.');

const storedNotes = z.array(
  z.object({ AtUs: z.number(), Kind: z.enum(noteKinds), Text: z.string() }).readonly(),
);

/** A note as a row holds it. */
export type StoredNote = z.output<typeof storedNotes>[number];

/** The notes of a row, the newest first; what cannot be read is left out. */
export function readNotes(stored: unknown): readonly StoredNote[] {
  return storedNotes.safeParse(stored).data ?? [];
}
