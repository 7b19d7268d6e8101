export { runHeartbeat } from './heartbeat.ts';
export { enqueue, notificationsOf, withdraw } from './notification-store.ts';
export { createNotify } from './notify.ts';
