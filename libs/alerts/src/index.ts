export { type AlertKind, alertKinds, type Severity, severities } from './alert-kind.ts';
export {
  type AddressPolicy,
  type ContactType,
  type ContactTypeRules,
  contactTypeNames,
  contactTypeOf,
  contactTypes,
} from './contact-types.ts';
export { dueSteps, type StepDecision, type StepProgress, type StepQuestion } from './due-steps.ts';
export { isMeantFor, type Schedule, type ScheduleStep, type Weekday, weekdays } from './schedule.ts';
export { isSigningSecret, signingSecret, signingSecretHint } from './signing-secret.ts';
