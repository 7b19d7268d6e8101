export { type AlertKind, alertKinds, type Severity, severities } from './alert-kind.ts';
export { isMeantFor, type Schedule, type ScheduleStep, type Weekday, weekdays } from './schedule.ts';
