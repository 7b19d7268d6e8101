export {
  type Asked,
  answerGraceUs,
  nextRetry,
  type RetryDecision,
  type RetryQuestion,
  type Vantage,
} from './chain.ts';
export { type BaseInterval, fold, matters, type Story } from './fold.ts';
export {
  type BaseStatus,
  comparePoints,
  isLate,
  lateAfterUs,
  type Point,
  type Result,
  type Sighting,
  type WatchSpan,
  withObservers,
} from './result.ts';
export { lastStatus, type RecordedStatus, untold } from './retell.ts';
export {
  announcedStatus,
  type Chain,
  type FoldState,
  newState,
  type PartialRun,
  stateVersion,
  storable,
} from './state.ts';
export { type FoldEvent, type FoldEventType, type FoldSettings, meaning } from './step.ts';
export {
  intersection,
  outages,
  type ShownSpan,
  type ShownStatus,
  type Span,
  timeline,
  type Uptime,
  type UptimeFacts,
  union,
  uptime,
} from './uptime.ts';
