import type { Schemas } from '@vantage/client';
import { api, take } from './api.ts';

export type StoredMonthlyReport = Schemas['MonthlyReport'];

/** All monthly reports, by name. */
export const readMonthlyReports = (): Promise<readonly StoredMonthlyReport[]> => take(api.GET('/reports'));

/** Creates a monthly report, or changes the one with this id. */
export async function saveMonthlyReport(
  report_id: string | undefined,
  body: Schemas['MonthlyReportCreate'],
): Promise<void> {
  if (report_id === undefined) await take(api.POST('/reports', { body }));
  else await take(api.PUT('/reports/{report_id}', { params: { path: { report_id } }, body }));
}

export async function removeMonthlyReport(report_id: string): Promise<void> {
  await take(api.DELETE('/reports/{report_id}', { params: { path: { report_id } } }));
}
