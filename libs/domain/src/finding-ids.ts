/** The names of the problems of an installation that an operator must solve. */
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
  'tables_on_workers',
  'messages_late',
  'roll_up_late',
  'requests_overdue',
  'items_refused',
  'sums_repaired',
  'checks_damaged',
] as const;

export type FindingId = (typeof findingIds)[number];
