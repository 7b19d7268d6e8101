export { createHousekeeping } from './housekeeping.ts';
export { createIngest } from './ingest.ts';
