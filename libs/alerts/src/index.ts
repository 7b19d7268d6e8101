export {
  afterDown,
  afterUp,
  downUsOf,
  flappingWindowUs,
  reopened,
} from './after-change.ts';
export type {
  AlertDecision,
  AlertEvent,
  AlertFacts,
  AlertMessage,
  AlertTimes,
  DeviceFacts,
} from './alert-facts.ts';
export {
  type AlertKind,
  acknowledgeableKinds,
  alertKinds,
  deviceStateKinds,
  endKindOf,
  kindsOfLocation,
  type MessageKind,
  momentKinds,
  notifyKinds,
  type Severity,
  severalKinds,
  severities,
  turnOf,
} from './alert-kind.ts';
export {
  type AlertPhase,
  type AlertState,
  alertPhases,
  enterPhase,
  type Flapping,
  newAlertState,
  type PastOutage,
} from './alert-state.ts';
export { type ContactOptions, contactOptionNames, defaultBodyType, optionFaults } from './contact-options.ts';
export {
  type AddressPolicy,
  type ContactType,
  type ContactTypeRules,
  contactTypeNames,
  contactTypeOf,
  contactTypes,
} from './contact-types.ts';
export { decide } from './decide.ts';
export type { MasterFacts, RequestedCheck } from './decide-master.ts';
export { emailFault } from './email-address.ts';
export { decideForward } from './forward.ts';
export {
  type BodyPart,
  type BodyType,
  bodyTypes,
  escapeFor,
  factNames,
  fillTemplate,
  type LatePlace,
  type Place,
} from './message-template.ts';
export type { Facts, NewNotification } from './new-notification.ts';
export { type PreviewedMessage, previewMessages, scheduleOfKind } from './preview.ts';
export {
  isMeantFor,
  joinSchedules,
  type Schedule,
  type ScheduleStep,
  type Weekday,
  weekdays,
} from './schedule.ts';
export { signingSecret } from './signing-secret.ts';
