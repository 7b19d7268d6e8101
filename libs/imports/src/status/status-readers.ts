import type { StatusFormat } from '../formats.ts';
import { readKumaStatuses } from './kuma-statuses.ts';
import { readStatusDat } from './nagios-statuses.ts';
import { readProbeSuccess } from './prometheus-statuses.ts';
import type { ReportedStatus } from './reported-status.ts';
import { readStatusTable } from './table-statuses.ts';

const readers: Readonly<Record<StatusFormat, (file: string) => readonly ReportedStatus[]>> = {
  'uptime-kuma': readKumaStatuses,
  prometheus: readProbeSuccess,
  nagios: readStatusDat,
  csv: readStatusTable,
};

/** Reads the statuses that another tool reports now. */
export function readStatuses(format: StatusFormat, file: string): readonly ReportedStatus[] {
  return readers[format](file);
}
