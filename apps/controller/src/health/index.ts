export { createHealth, trimCheckpoints } from './health.ts';
export { insertState } from './insert-state.ts';
export { createPauseDevices } from './pause-device.ts';
export { createRestHealth } from './rest-health.ts';
export { uptimeParts, uptimes } from './uptime.ts';
