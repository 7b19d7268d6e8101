export { runHeartbeat } from './heartbeat.ts';
export { createNotify } from './notify.ts';
