export { LRUCache } from 'lru-cache';
export { abortable, onAbort, whenAborted } from './abort-signal.ts';
export { type Backoff, backoffMs } from './backoff.ts';
export { boundedText, withoutControls } from './bounded-text.ts';
export { type Clock, every, systemClock } from './clock.ts';
export { acceptedPort, commonSettings } from './common-settings.ts';
export { type CronRule, readCron } from './cron/cron-rule.ts';
export { nextCronTime } from './cron/cron-times.ts';
export { type DeclaredShare, declaredShares, declareShare } from './declared-share.ts';
export {
  createDiskWatch,
  type DiskSpace,
  type DiskWatch,
  diskRemedy,
  isDiskRefusal,
  isReadOnly,
  judgeRoom,
  type KeptFiles,
  keepFiles,
  makeFile,
  type Room,
  readSpace,
  removeIfAllowed,
  replaceFile,
  replaceFileSync,
  roomNeeds,
  roomProblem,
  syncFolder,
  writeWhole,
} from './disk/index.ts';
export { escapeHtml } from './escape-html.ts';
export { actionOf, Fault, type FaultAction, messageOf } from './fault.ts';
export {
  type FieldFault,
  faultSentence,
  faultsOf,
  faultText,
  requiredField,
  sentFault,
  unknownField,
} from './field-faults/field-faults.ts';
export { type RefusalReason, refusalReasons } from './field-faults/refusal-reason.ts';
export { exitCodeOf, type Finding, findingsText } from './finding.ts';
export { idForm, isId, newId } from './id.ts';
export { isRecord } from './is-record.ts';
export { createJobParts, type JobParts } from './job-parts.ts';
export { parseJson } from './json.ts';
export { jsonShape } from './json-shape.ts';
export { Listeners } from './listeners.ts';
export { createLog, type Logger, logLevels } from './log.ts';
export { limitLogFile, logLimitBytes, readLogEnd } from './log-file.ts';
export { createLogSummary, type LogSummary } from './log-summary.ts';
export { type LogEntry, localTime, logText, readLogLine } from './log-text.ts';
export { ignoreMissing, isMissing, readIfPresent, readIfPresentSync } from './missing-file.ts';
export { nearestName } from './nearest-name.ts';
export {
  clientNetwork,
  createNetworkSet,
  createNetworkTable,
  equivalentAddresses,
  greaterNetwork,
  ipv6Words,
  isNetwork,
  isPrivateHost,
  type NetworkSet,
  normalAddress,
} from './network/index.ts';
export { logNodeWarnings } from './node-warnings.ts';
export { descriptorLimit, usableMemory } from './process-limits.ts';
export { createCoalescer } from './queues/coalescer.ts';
export { createFairSemaphore } from './queues/fair-semaphore.ts';
export { createMailbox, type Mailbox } from './queues/mailbox.ts';
export { createSemaphore, type Semaphore } from './queues/semaphore.ts';
export { TokenBucket, type TokenRate } from './queues/token-bucket.ts';
export { createTurnQueue, type TurnQueue } from './queues/turn-queue.ts';
export { createWaker } from './queues/waker.ts';
export { readUnixSocket } from './read-unix-socket.ts';
export { remembered } from './remembered.ts';
export { Secret } from './secret.ts';
export { type Setting, type SettingReader, settings } from './settings.ts';
export {
  type Accepted,
  createSettingsReader,
  gatherSettings,
  type SettingsReader,
  type SettingsSource,
  unknownSettings,
} from './settings-reader.ts';
export { onSignal, shutdownSignal } from './shutdown.ts';
export { compileCacheEnv, isBundled, siblingProgram } from './sibling-program.ts';
export { isZoneName, knownZone, type ZoneOffset, zoneName, zoneOffset } from './time-zone.ts';
export { declaredStates, declareState, type StateBound, stateSizes } from './tracked-state.ts';
