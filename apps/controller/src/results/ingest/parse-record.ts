import {
  dayMs,
  diagnosticsBytes,
  isResultCode,
  type MeasuredValue,
  maxValues,
  resultCode,
  type Span,
  valueFault,
} from '@vantage/domain';
import { type CheckResult, type NoticeRecord, NoticeRecord_Kind, type OutboxRecord } from '@vantage/proto';
import { largestInt as maxInt, readJsonObject, toReal, toText } from '@vantage/storage';

/** A well-formed result. Times are microseconds since 1970, phases milliseconds. */
export interface ParsedResult {
  readonly deviceNo: number;
  /** When the device was created that the agent checked; 0: the agent does not say it. */
  readonly deviceCreatedUs: number;
  readonly startUs: number;
  readonly endUs: number;
  readonly revision: number;
  readonly code: number;
  readonly text: string;
  readonly blockMs: number;
  readonly dnsMs: number;
  readonly connectMs: number;
  readonly sslMs: number;
  readonly ttfbMs: number;
  readonly ttlbMs: number;
  readonly dataSize: number;
  readonly attempt: number;
  readonly retryId: string | null;
  readonly runRequestId: string | null;
  readonly slow: boolean;
  /** JSON text of an object, or null. */
  readonly extended: string | null;
  /** It failed behind a silent anchor. An agent says so of its own results (code 10) only. */
  readonly behindAnchor: boolean;
  /** Each label once; undefined: none. */
  readonly values: readonly MeasuredValue[] | undefined;
}

/** Diagnostics that an agent made of a check of its own. */
export interface ParsedDiagnostics {
  readonly deviceNo: number;
  /** As a result has it. */
  readonly deviceCreatedUs: number;
  readonly startUs: number;
  /** JSON text of an object. */
  readonly extended: string;
}

/** A trap or a line of syslog that an agent received. */
export interface ParsedNotice {
  readonly deviceNo: number;
  /** As a result has it. */
  readonly deviceCreatedUs: number;
  readonly atUs: number;
  readonly kind: 'trap' | 'syslog';
  readonly text: string;
}

/** One parsed record of a batch. */
export type ParsedRecord =
  | { readonly kind: 'result'; readonly result: ParsedResult }
  | { readonly kind: 'coverage'; readonly span: Span }
  | { readonly kind: 'gap'; readonly gap: Span & { gapId: string; droppedResults: number; reason: string } }
  | { readonly kind: 'clock'; readonly clock: { atUs: number; offsetUs: number; roundTripUs: number } }
  | { readonly kind: 'diagnostics'; readonly diagnostics: ParsedDiagnostics }
  | { readonly kind: 'notice'; readonly notice: ParsedNotice }
  | { readonly kind: 'malformed'; readonly reason: string };

const maxTextLength = 4_000;

const maxIdLength = 100;

const maxExtendedLength = 256 * 1024;

const maxPhaseMs = dayMs;

/** Parses a record; `malformed` has the fault of a record that cannot be parsed. Pure. */
export function parseRecord({ record }: OutboxRecord): ParsedRecord {
  switch (record.case) {
    case 'result':
      return parseResult(record.value);
    case 'coverage': {
      const span = { fromUs: Number(record.value.fromUs), toUs: Number(record.value.toUs) };
      return isSpan(span) ? { kind: 'coverage', span } : malformed('coverage ends before it begins');
    }
    case 'gap': {
      const { gapId, droppedResults, reason } = record.value;
      const span = { fromUs: Number(record.value.fromUs), toUs: Number(record.value.toUs) };
      if (!isTime(span.fromUs) || !isTime(span.toUs) || span.toUs < span.fromUs)
        return malformed('gap ends before it begins');
      if (gapId === '' || gapId.length > maxIdLength) return malformed('gap without a proper gap_id');
      const gap = {
        ...span,
        gapId: toText(gapId, maxIdLength),
        droppedResults: Math.min(droppedResults, maxInt),
        reason: toText(reason, maxTextLength),
      };
      return { kind: 'gap', gap };
    }
    case 'clock': {
      const clock = {
        atUs: Number(record.value.atUs),
        offsetUs: Number(record.value.offsetUs),
        roundTripUs: Number(record.value.roundTripUs),
      };
      const isFine = isTime(clock.atUs) && Number.isSafeInteger(clock.offsetUs) && isTime(clock.roundTripUs);
      return isFine ? { kind: 'clock', clock } : malformed('clock record out of range');
    }
    case 'diagnostics': {
      const { deviceNo, extendedJson } = record.value;
      const startUs = Number(record.value.startUs);
      if (deviceNo < 1 || deviceNo > maxInt) return malformed('device_no out of range');
      if (!isTime(startUs)) return malformed('start_us out of range');
      const extended = readJsonObject(extendedJson, diagnosticsBytes);
      if (extended === undefined)
        return malformed('extended_json of diagnostics is not a JSON object of at most 64 KiB and 64 levels');
      const deviceCreatedUs = Number(record.value.deviceCreatedUs);
      return { kind: 'diagnostics', diagnostics: { deviceNo, deviceCreatedUs, startUs, extended } };
    }
    case 'notice':
      return parseNotice(record.value);
    case undefined:
      return malformed('an empty record, or one of a kind this controller does not know');
  }
}

/** The characters of a notice. An agent sends at most 600. */
const maxNoticeLength = 700;

function parseNotice({ deviceNo, deviceCreatedUs, atUs, kind, text }: NoticeRecord): ParsedRecord {
  if (deviceNo < 1 || deviceNo > maxInt) return malformed('device_no out of range');
  if (!isTime(Number(atUs))) return malformed('at_us out of range');
  if (text.trim() === '') return malformed('a notice without a text');
  const notice = {
    deviceNo,
    deviceCreatedUs: Number(deviceCreatedUs),
    atUs: Number(atUs),
    kind: kind === NoticeRecord_Kind.SYSLOG ? ('syslog' as const) : ('trap' as const),
    text: toText(text, maxNoticeLength).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' '),
  };
  return { kind: 'notice', notice };
}

function parseResult(wire: CheckResult): ParsedRecord {
  const startUs = Number(wire.startUs);
  if (wire.deviceNo < 1 || wire.deviceNo > maxInt) return malformed('device_no out of range');
  if (!isTime(startUs)) return malformed('start_us out of range');
  if (wire.revision > maxInt) return malformed('revision out of range');
  if (!isResultCode(wire.resultCode)) return malformed('result_code is not one of 1 to 10');
  if (!arePhases(wire)) return malformed('a phase is not a length of time');
  if (!Number.isFinite(wire.dataSize) || wire.dataSize < 0) return malformed('data_size is not a size');
  if (wire.attempt > 0x7fff) return malformed('attempt out of range');
  if (wire.retryId.length > maxIdLength || wire.runRequestId.length > maxIdLength)
    return malformed('an id is too long');
  const extended = parseExtended(wire.extendedJson);
  if (extended === undefined)
    return malformed('extended_json is not a JSON object of at most 256 KiB and 64 levels');
  const values = parseValues(wire.values);
  if (typeof values === 'string') return malformed(values);
  return {
    kind: 'result',
    result: {
      deviceNo: wire.deviceNo,
      deviceCreatedUs: Number(wire.deviceCreatedUs),
      startUs,
      endUs:
        startUs + Math.round((wire.dnsMs + wire.connectMs + wire.sslMs + wire.ttfbMs + wire.ttlbMs) * 1000),
      revision: wire.revision,
      code: wire.resultCode,
      text: toText(wire.checkResult, maxTextLength),
      blockMs: toReal(wire.blockMs),
      dnsMs: toReal(wire.dnsMs),
      connectMs: toReal(wire.connectMs),
      sslMs: toReal(wire.sslMs),
      ttfbMs: toReal(wire.ttfbMs),
      ttlbMs: toReal(wire.ttlbMs),
      dataSize: wire.dataSize,
      attempt: wire.attempt,
      retryId: wire.retryId === '' ? null : toText(wire.retryId, maxIdLength),
      runRequestId: wire.runRequestId === '' ? null : toText(wire.runRequestId, maxIdLength),
      slow: wire.slow,
      extended,
      behindAnchor: wire.behindAnchor && wire.resultCode === resultCode.agent,
      values,
    },
  };
}

/** The extended data; null without any, undefined when they are not acceptable. */
function parseExtended(text: string): string | null | undefined {
  return text === '' ? null : readJsonObject(text, maxExtendedLength);
}

/** The values of a result; undefined without any, or the fault as a text. */
function parseValues(wire: CheckResult['values']): readonly MeasuredValue[] | undefined | string {
  if (wire.length === 0) return undefined;
  if (wire.length > maxValues) return `a result has at most ${maxValues} values`;
  const values = wire.map(({ label, value, unit }) => ({ Label: label, Value: value, Unit: unit }));
  const faults = values.map(valueFault).filter((fault) => fault !== undefined);
  if (faults[0] !== undefined) return faults[0];
  return new Set(values.map(({ Label }) => Label)).size < values.length
    ? 'two values of a result have the same label'
    : values;
}

function isTime(us: number): boolean {
  return Number.isSafeInteger(us) && us >= 0;
}

function isSpan(span: Span): boolean {
  return isTime(span.fromUs) && isTime(span.toUs) && span.fromUs < span.toUs;
}

function arePhases({ blockMs, dnsMs, connectMs, sslMs, ttfbMs, ttlbMs }: CheckResult): boolean {
  return (
    isPhase(blockMs) &&
    isPhase(dnsMs) &&
    isPhase(connectMs) &&
    isPhase(sslMs) &&
    isPhase(ttfbMs) &&
    isPhase(ttlbMs)
  );
}

function isPhase(ms: number): boolean {
  return Number.isFinite(ms) && ms >= 0 && ms <= maxPhaseMs;
}

function malformed(reason: string): ParsedRecord {
  return { kind: 'malformed', reason };
}
