export { type AnchorStatus, anchorStatus, decideAnchors } from './anchors.ts';
export type { SuppressionReason } from './events/alert-events.ts';
export {
  type AlertingCause,
  type CauseOf,
  changesAlerts,
  type EventCause,
  type EventType,
  eventTypes,
  kindOf,
} from './events/event-kinds.ts';
export { interfaceText, noticeText } from './events/network-events.ts';
export { lastStatus, newEvents, type RecordedStatus } from './events/reconcile-events.ts';
export { type BaseInterval, type FoldResult, fold, matters } from './fold.ts';
export {
  announcedStatus,
  type FoldState,
  newState,
  type OpenRetrySequence,
  type PartialRun,
  stateVersion,
  storable,
} from './fold-state.ts';
export type { FoldEvent, FoldEventType, FoldSettings } from './fold-step.ts';
export { cronTimes, type DueTimes, everyTimes } from './heartbeats/due-times.ts';
export {
  adaptHeartbeat,
  type CallKind,
  type HeartbeatCall,
  type HeartbeatSettings,
  type HeartbeatState,
  newHeartbeat,
  type OpenRun,
  rewindHeartbeat,
} from './heartbeats/heartbeat-state.ts';
export {
  judgeHeartbeat,
  type MissedCall,
  nextMomentUs,
  windowFromUs,
} from './heartbeats/judge-heartbeat.ts';
export { type ReceivedCall, type RunEnd, receiveCall } from './heartbeats/receive-call.ts';
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
export {
  type MaintenanceSchedule,
  nextOccurrences,
  type Occurrence,
  occurrenceId,
  occurrencesIn,
} from './maintenance/occurrences.ts';
export { recurrenceFault } from './maintenance/recurrence-rule.ts';
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
  type FoldInput,
  isLate,
  lateAfterUs,
  type Observation,
  type OnlineSpan,
  type Point,
  toObservations,
} from './observation.ts';
export { createSpanJoiner, type DrawnSpan, type SpanJoiner } from './span-joiner.ts';
export { outages, type ShownSpan, timeline, type UptimeFacts } from './timeline.ts';
export { addUptimes, type Uptime, type UptimePart, uptime, uptimeOfPart } from './uptime.ts';
export { stepStart } from './warnings/device-start.ts';
export { type Expiry, stepExpiry } from './warnings/expiry.ts';
export {
  type InterfaceState,
  type ReportedInterface,
  stepInterfaces,
} from './warnings/interface-states.ts';
export { type Slowness, stepSlowness } from './warnings/slowness.ts';
export { worstStatuses } from './worst-statuses.ts';
