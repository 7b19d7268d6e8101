export { createHealth, trimCheckpoints } from './health.ts';
export { createRestHealth } from './manual-maintenance.ts';
export { createPauseDevices } from './pause-device.ts';
export { insertStates } from './replace-states.ts';
export { uptimeParts, uptimes } from './uptime.ts';
