// The notes of a status page: incidents that people write about, from the first word to the end.

/** Kinds of notes: the stages of an incident, then those that stand alone. */
export const noteKinds = [
  'Investigating',
  'Identified',
  'Monitoring',
  'Resolved',
  'Maintenance',
  'Information',
] as const;
export type NoteKind = (typeof noteKinds)[number];

/** A note as the API shows it. */
export interface Note {
  readonly At: string;
  readonly Kind: NoteKind;
  readonly Text: string;
}

const stages: readonly NoteKind[] = ['Investigating', 'Identified', 'Monitoring'];

/**
 * The notes of the incident that goes on, the newest first; undefined: the last one is resolved, or there is none.
 * `notes` are the newest first. Maintenance and Information say nothing about an incident.
 */
export function openIncident(notes: readonly Note[]): readonly Note[] | undefined {
  const ofIncidents = notes.filter(({ Kind }) => Kind === 'Resolved' || stages.includes(Kind));
  const end = ofIncidents.findIndex(({ Kind }) => Kind === 'Resolved');
  const open = end < 0 ? ofIncidents : ofIncidents.slice(0, end);
  return open.length === 0 ? undefined : open;
}

/** The kind that comes next: the first stage of an incident, or the one after the newest note of the open one. */
export function nextKind(notes: readonly Note[]): NoteKind {
  const newest = openIncident(notes)?.[0]?.Kind;
  if (newest === undefined) return 'Investigating';
  return stages[stages.indexOf(newest) + 1] ?? 'Resolved';
}

/** The notes with a new one, at most `most`: the oldest are left out. */
export function withNote(notes: readonly Note[], note: Note, most = 100): readonly Note[] {
  return [...notes, note].sort((a, b) => Date.parse(b.At) - Date.parse(a.At)).slice(0, most);
}

/** A path for a page of this name: `Our Customers!` is `our-customers`; '' where no letter can be used. */
export function pathOfName(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+/g, '')
    .slice(0, 64)
    .replaceAll(/-+$/g, '');
}
