/** Kinds of notes of a status page: the stages of an incident, then those that belong to no incident. */
export const noteKinds = [
  'Investigating',
  'Identified',
  'Monitoring',
  'Resolved',
  'Maintenance',
  'Information',
] as const;
export type NoteKind = (typeof noteKinds)[number];

/** A note, as the API shows it. */
export interface Note {
  readonly At: string;
  readonly Kind: NoteKind;
  readonly Text: string;
}

const stages: readonly NoteKind[] = ['Investigating', 'Identified', 'Monitoring'];

/**
 * The notes of the open incident, newest first; undefined: the last incident is resolved, or there was none. `notes`
 * are newest first. Maintenance and Information do not belong to an incident.
 */
export function openIncident(notes: readonly Note[]): readonly Note[] | undefined {
  const ofIncidents = notes.filter(({ Kind }) => Kind === 'Resolved' || stages.includes(Kind));
  const end = ofIncidents.findIndex(({ Kind }) => Kind === 'Resolved');
  const open = end < 0 ? ofIncidents : ofIncidents.slice(0, end);
  return open.length === 0 ? undefined : open;
}

/** The kind of the next note: the stage after the newest note of the open incident, or the first stage of a new one. */
export function nextKind(notes: readonly Note[]): NoteKind {
  const newest = openIncident(notes)?.[0]?.Kind;
  if (newest === undefined) return 'Investigating';
  return stages[stages.indexOf(newest) + 1] ?? 'Resolved';
}

/** The notes with a new one, newest first. Only the newest `maxNotes` are kept. */
export function withNote(notes: readonly Note[], note: Note, maxNotes = 100): readonly Note[] {
  return [...notes, note].sort((a, b) => Date.parse(b.At) - Date.parse(a.At)).slice(0, maxNotes);
}
