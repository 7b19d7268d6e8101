export { acknowledge, acknowledgeMany, snooze } from './acknowledge.ts';
export { listOpenAlerts } from './alert-list-store.ts';
export { type Alerts, createAlerts } from './decide-alerts.ts';
