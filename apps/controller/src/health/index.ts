export type { InsertedCheck } from './fold-store.ts';
export { createHealth, type Health, trimCheckpoints } from './health.ts';
export { insertState } from './insert-state.ts';
export { startMaintenance, stopMaintenance } from './maintenance.ts';
export { type UptimeRequest, uptimes } from './uptime.ts';
