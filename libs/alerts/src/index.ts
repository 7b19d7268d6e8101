export type {
  AlertDecision,
  AlertedDevice,
  AlertFacts,
  AlertMessage,
  AlertTimes,
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
  alertPhases,
  enterPhase,
  type Flapping,
  newAlertState,
  type PastOutage,
} from './alert-state.ts';
export {
  type ContactOptions,
  contactOptionNames,
  defaultBodyType,
  optionFaults,
} from './contact-options.ts';
export { signingSecret } from './contact-secret.ts';
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
export { emailFault, strangersEmailFault } from './email-address.ts';
export { decideForward, type MessageStanding } from './forward.ts';
export {
  type BodyPart,
  type BodyType,
  bodyTypes,
  escapeFor,
  factNames,
  fillTemplate,
  type LateTemplateName,
  type TemplateName,
} from './message-template.ts';
export type { MessageFacts, NewNotification } from './new-notification.ts';
export { type PreviewedMessage, previewMessages } from './preview-messages.ts';
export {
  isMeantFor,
  joinSchedules,
  type Schedule,
  type ScheduleStep,
  scheduleOfKind,
  type Weekday,
  weekdays,
} from './schedule.ts';
export { afterDown, afterUp, downUsOf, flappingWindowUs, reopened } from './status-changes.ts';
