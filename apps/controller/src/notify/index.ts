export { runHeartbeat } from './heartbeat.ts';
export { enqueue, notificationsOf } from './notification-store.ts';
export { createNotify } from './notify.ts';
