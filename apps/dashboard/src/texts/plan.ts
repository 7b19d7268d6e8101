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
  conflict: 'Somebody else changed it meanwhile. Your texts are kept: read it again, then save.',
  noRights: 'This key only views. A key or person of the level UW can change schedules and contacts.',
  usedBy: 'Where it is used',
  unused: 'Nothing uses it.',
  severities: { critical: 'critical', warning: 'warning', info: 'info' },
} as const;
