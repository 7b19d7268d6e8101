/** The names of the states of an installation that an operator has to see to. */
export const findingIds = [
  'clock_wrong',
  'disk_low',
  'certificate_ending',
  'certificate_refused',
  'database_back',
  'database_moved',
  'key_missing',
  'key_other',
  'backup_none',
  'backup_old',
  'contact_failing',
  'worker_away',
  'messages_late',
  'roll_up_late',
  'requests_overdue',
  'items_refused',
] as const;

/** One of them. */
export type FindingId = (typeof findingIds)[number];
