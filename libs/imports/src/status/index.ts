export type { ReportedStatus } from './reported-status.ts';
export { readStatuses } from './status-readers.ts';
