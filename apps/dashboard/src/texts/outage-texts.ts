/** Texts of the note on an outage, on several screens. */
export const outageTexts = {
  edit: 'Note',
  editOf: (name: string) => `Note on the outage of ${name}`,
  noteField: 'Note, one line',
  excludeField: 'Exclude it: it counts neither as Up nor as Down',
  save: 'Save',
} as const;
