export { acknowledge, acknowledgeMany, snooze } from './acknowledge.ts';
export { type Alerts, createAlerts } from './alerts.ts';
export { listOpenAlerts } from './list-store.ts';
