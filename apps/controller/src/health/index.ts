export { createHealth, trimCheckpoints } from './health.ts';
export { insertState } from './insert-state.ts';
export { startMaintenance, stopMaintenance } from './maintenance.ts';
export { uptimes } from './uptime.ts';
