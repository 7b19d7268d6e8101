export { createHeldDrain } from './drain-held.ts';
export { createHousekeeping } from './housekeeping.ts';
export { createIngest } from './ingest.ts';
export { createDayPacker, deletePackedDays } from './pack-days.ts';
export {
  countQuarantined,
  listQuarantined,
  retryQuarantined,
} from './store.ts';
export { createTakeWaiting } from './take-waiting.ts';
