export { type Alerts, createAlerts } from './alerts.ts';
