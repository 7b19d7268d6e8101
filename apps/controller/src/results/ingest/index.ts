export { createDayPacker } from '../packing/pack-days.ts';
export { createHousekeeping } from './housekeeping.ts';
export { createIngest } from './ingest.ts';
export { countQuarantined, listQuarantined, retryQuarantined } from './quarantine-store.ts';
export { createTakeWaiting } from './take-waiting.ts';
