export type {
  AlertDecision,
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
  installationKinds,
  kindsOfLocation,
  type MessageKind,
  momentKinds,
  notifyKinds,
  severalKinds,
  turnOf,
} from './alert-kind.ts';
export {
  type AlertEvent,
  type AlertPhase,
  type AlertState,
  afterDown,
  afterUp,
  alertPhases,
  downUsOf,
  enterPhase,
  type Flapping,
  flappingWindowUs,
  newAlertState,
  type PastOutage,
  reopened,
} from './alert-state.ts';
export { defaultBodyType, optionFaults } from './contact-options.ts';
export { emailFault, signingSecret, strangersEmailFault } from './contact-receiver.ts';
export {
  type AddressPolicy,
  type ContactOptions,
  type ContactType,
  type ContactTypeRules,
  contactOptionNames,
  contactTypeNames,
  contactTypeOf,
  contactTypes,
} from './contact-types.ts';
export { decide } from './decide.ts';
export type { MasterFacts, RequestedCheck } from './decide-master.ts';
export { type PreviewedMessage, previewMessages } from './due-steps.ts';
export { decideForward, type MessageStanding } from './forward.ts';
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
export {
  isMeantFor,
  joinSchedules,
  type Schedule,
  type ScheduleStep,
  scheduleOfKind,
  type Weekday,
  weekdays,
} from './schedule.ts';
