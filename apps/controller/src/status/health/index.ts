export { createHealth, trimCheckpoints } from './health.ts';
export { insertStates } from './insert-states.ts';
export { createPauseDevices } from './pause-device.ts';
export { createRestHealth } from './rest-health.ts';
export { uptimeParts, uptimes } from './uptime.ts';
