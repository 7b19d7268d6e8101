/** Texts that the screens about schedules, maintenance and contacts share. */
export const planTexts = {
  label: 'Planning',
  tabs: { schedules: 'Who is notified', maintenance: 'Maintenance', contacts: 'Contacts' },
  save: 'Save',
  discard: 'Discard the changes',
  cancel: 'Cancel',
  zone: 'Time zone',
  zoneHint: 'A name of the IANA list, for example Europe/Berlin',
  name: 'Name',
  conflict: 'It was changed by someone else in the meantime. Your texts are kept: read it again, then save.',
  noRights: 'You can view, not change. Changing schedules and contacts needs a key or person of level UW.',
  usedBy: 'Where it is used',
  unused: 'Nothing uses it.',
} as const;
