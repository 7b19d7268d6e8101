export { createHousekeeping } from './housekeeping.ts';
export { createIngest, type Ingest } from './ingest.ts';
export { createDayPacker } from './pack-days.ts';
