import { count } from '../../model/format.ts';

/** Texts of the screen with the events. */
export const eventsTexts = {
  title: 'Events',
  say: 'What happened to devices, Locations and agents, newest first.',
  none: 'Nothing has happened yet.',
  newer: 'Newer',
  newest: 'Newest',
  older: 'Older',
  pages: 'Older and newer events',
  isNew: (n: number) => `${count(n)} new`,
  late: 'arrived late',
} as const;
