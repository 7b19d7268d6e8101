export { createChannels } from './channels/registry.ts';
export { runHeartbeat } from './heartbeat.ts';
export { enqueue, notificationsOf, withdraw } from './notification-store.ts';
export { createNotify } from './notify.ts';
export { sendTest } from './send-test.ts';
