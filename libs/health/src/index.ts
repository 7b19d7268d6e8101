export { type AnchorStatus, anchorStatus, decideAnchors } from './anchors.ts';
export {
  type AlertingCause,
  type CauseOf,
  changesAlerts,
  type EventCause,
  type EventType,
  eventTypes,
  kindOf,
  type SuppressionReason,
} from './event-kinds.ts';
export { type BaseInterval, type FoldResult, fold, matters } from './fold.ts';
export {
  countOf,
  type Histogram,
  histogramOf,
  mergeHistograms,
  middleMs,
  percentile,
  percentiles,
  rankOf,
  scale,
} from './histogram.ts';
export { createSpanJoiner, type DrawnSpan, type SpanJoiner } from './join-short.ts';
export {
  type MaintenanceSchedule,
  nextOccurrences,
  type Occurrence,
  occurrenceId,
  occurrencesIn,
  recurrenceFault,
} from './maintenance/occurrences.ts';
export {
  answerGraceUs,
  nextRetry,
  type RequestedRetry,
  type RetryCandidate,
  type RetryDecision,
  type RetryQuestion,
} from './next-retry.ts';
export {
  comparePoints,
  isLate,
  lateAfterUs,
  type Observation,
  type OnlineSpan,
  type Point,
  type Result,
  toObservations,
} from './observation.ts';
export { lastStatus, newEvents, type RecordedStatus } from './reconcile-events.ts';
export {
  announcedStatus,
  type FoldState,
  newState,
  type PartialRun,
  type RetrySequence,
  stateVersion,
  storable,
} from './state.ts';
export type { FoldEvent, FoldEventType, FoldSettings } from './step.ts';
export {
  addUptimes,
  outages,
  type ShownSpan,
  timeline,
  type Uptime,
  type UptimeFacts,
  type UptimePart,
  uptime,
  uptimeOfPart,
} from './uptime.ts';
export { type CertificateExpiry, stepCertificate } from './warnings/certificate-expiry.ts';
export { type Slowness, stepSlowness } from './warnings/slowness.ts';
export { worstStatuses } from './worst-statuses.ts';
