import type { MonthlyReport } from '../../store/monthly-reports.ts';
import type { Contact } from '../../store/plan.ts';

/** The facts that the section needs to show and to change monthly reports. */
export interface MonthlyFacts {
  readonly reports: readonly MonthlyReport[];
  /** Contacts that take mail. */
  readonly contacts: readonly Contact[];
  readonly allTags: readonly string[];
}
