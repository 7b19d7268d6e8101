import type { StoredMonthlyReport } from '../../store/monthly-reports.ts';
import type { NotificationContact } from '../../store/notification-schedules.ts';

/** The facts for showing and changing monthly reports. */
export interface MonthlyFacts {
  readonly reports: readonly StoredMonthlyReport[];
  /** Contacts for e-mail. */
  readonly contacts: readonly NotificationContact[];
  readonly allTags: readonly string[];
}
