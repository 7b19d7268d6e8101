export {
  type AccountLimits,
  defaultLimits,
  type LimitedKind,
} from './account-limits.ts';
export { addressesOf, agentAddresses } from './agent-address.ts';
export {
  batchRecords,
  diagnosticsBytes,
  freshDeviceUs,
  invitationMinutes,
  maxTimeoutS,
  messageBytes,
  silenceMs,
} from './agent-limits.ts';
export {
  type AnchorReport,
  type FailedAnchor,
  maxAnchors,
  portOfAnchor,
  type StoredAnchor,
  storedAnchorReports,
  storedAnchors,
  storedFailedAnchors,
} from './anchor.ts';
export { type CheckKey, checkId, parseCheckId } from './check-id.ts';
export { clampAhead } from './clamp-ahead.ts';
export {
  expiryDaysText,
  maxExpiryDay,
  maxExpiryDays,
  readExpiryDays,
  standardExpiryDays,
} from './expiry-days.ts';
export { type FindingId, findingIds } from './finding-ids.ts';
export { isJsonList, type Json } from './json.ts';
export {
  type MeasuredValue,
  maxAmount,
  maxLabelLength,
  maxUnitLength,
  maxValues,
  valueFault,
} from './measured-value.ts';
export { isReceived, type Method, methods } from './method.ts';
export { methodsByPort, methodsByScheme } from './method-of-address.ts';
export { cleanLine, isPlainLine, plainLineRule } from './plain-line.ts';
export { probeTarget } from './probe-target.ts';
export { isMask, mapQuerySecrets, maskQuerySecrets, querySecrets } from './query-secrets.ts';
export { receiver } from './receiver.ts';
export {
  compareVersions,
  isVersion,
  type ParcelArchitecture,
  type ParcelFile,
  parcelArchitectures,
  type ReleaseStatement,
  readReleaseKey,
  readStatement,
  releaseKeyLine,
  signStatement,
  treeDigest,
} from './release.ts';
export {
  isGood,
  isInconclusive,
  isResultCode,
  type ResultCode,
  resultCode,
  type Verdict,
  verdictOf,
  verdictSql,
} from './result-code.ts';
export { timeoutsUntilAnswer } from './run-request.ts';
export {
  authoritySealContext,
  contactSealContext,
  deviceSealContext,
  mailPasswordContext,
  type SealedDevice,
  secretSealContext,
} from './sealed-device.ts';
export {
  calledSecretNames,
  fillReferences,
  isSecretReference,
  referencedNames,
  type SecretScope,
  secretNamePattern,
  secretReference,
} from './secret-reference.ts';
export { settingDefaults } from './setting-defaults.ts';
export { type Severity, severities } from './severity.ts';
export { intersectSpans, joinSpans, type Span } from './span.ts';
export { type BaseStatus, baseStatuses, type DeviceStatus, deviceStatuses } from './status.ts';
export { dayMs, dayUs, hourMs, hourUs, kibibyte, mebibyte, minuteUs, secondUs } from './units.ts';
export { productVersion } from './version.ts';
