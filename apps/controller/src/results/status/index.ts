export { uptimeParts, uptimes } from './device-uptime.ts';
export { createHealth, trimCheckpoints } from './health.ts';
export { createRestHealth } from './manual-maintenance.ts';
export { createPauseDevices } from './pause-device.ts';
export { insertStates } from './replace-states.ts';
