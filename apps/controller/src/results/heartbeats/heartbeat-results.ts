import { type MeasuredValue, resultCode, secondUs } from '@vantage/domain';
import type { CallKind, MissedCall, RunEnd } from '@vantage/health';
import { zoneOffset } from '@vantage/kernel';
import type { ParsedResult } from '../ingest/parse-record.ts';
import type { ZonedSettings } from './heartbeat-settings.ts';

/** The text of a job in a call. */
export interface CallWords {
  readonly kind: CallKind;
  readonly runId: string;
  readonly exitStatus?: number | undefined;
  /** The caller's address. */
  readonly address: string;
  readonly userAgent: string;
  /** At most `maxBodyBytes`. */
  readonly body: string;
}

/** The texts of earlier calls of the same run. */
export interface LogEntry {
  readonly atUs: number;
  readonly kind: string;
  readonly body: string;
}

/** The device of a result. */
interface ResultDevice {
  readonly deviceNo: number;
  readonly createdUs: number;
  readonly revision: number;
}

/** The label and unit of a run's duration among the values of a device. */
const durationLabel = { Label: 'duration', Unit: 's' } as const;

const maxTextLength = 300;

/** The result of a call that ended a run, or reported one. Pure. */
export function endResult(
  device: ResultDevice,
  end: RunEnd,
  words: CallWords,
  log: readonly LogEntry[],
): ParsedResult {
  const { kind, runId, exitStatus, address, userAgent, body } = words;
  const seconds = end.startedUs === null ? undefined : (end.atUs - end.startedUs) / secondUs;
  const extended = {
    Call: kind,
    ...(runId !== '' && { RunId: runId }),
    ...(exitStatus !== undefined && { ExitStatus: exitStatus }),
    Address: address,
    ...(userAgent !== '' && { UserAgent: userAgent }),
    ...(body !== '' && { Body: body }),
    ...shownLog(log),
  };
  return result(device, end.atUs, {
    code: end.isGood ? resultCode.ok : resultCode.script,
    text: endText(end, words),
    extended,
    values: seconds === undefined ? undefined : [{ ...durationLabel, Value: seconds }],
  });
}

function endText({ isGood }: RunEnd, { kind, exitStatus, body }: CallWords): string {
  const status = kind === 'exit' ? `exit status ${exitStatus}` : 'the job reported a failure';
  if (isGood) return kind === 'exit' ? status : 'success';
  const lastLine = body.trim().split('\n').at(-1)?.trim() ?? '';
  return lastLine === '' ? status : `${status}: ${lastLine.slice(0, maxTextLength)}`;
}

/** The result for a call that is missing. Pure. */
export function missedResult(
  device: ResultDevice,
  settings: ZonedSettings,
  missed: MissedCall,
  log: readonly LogEntry[],
): ParsedResult {
  const runId = missed.kind === 'overrun' ? missed.run.runId : '';
  return result(device, missed.atUs, {
    code: missed.isUnsure ? resultCode.agent : resultCode.timeout,
    text: missedText(settings, missed),
    extended: {
      ...(missed.kind === 'late' ? { Due: utcText(missed.dueUs) } : { Started: utcText(missed.run.firstUs) }),
      ...(runId !== '' && { RunId: runId }),
      ...shownLog(log),
    },
    values: undefined,
  });
}

/** The sentence about a missing call: `no call since …, due at …, 5 min grace`. Pure. */
function missedText({ zone, graceUs, maxRunUs }: ZonedSettings, missed: MissedCall): string {
  const at = (us: number) => momentText(us, zone);
  if (missed.kind === 'late') {
    const text = `no call since ${at(missed.sinceUs)}, due at ${at(missed.dueUs)} (${zone})`;
    return missed.isUnsure
      ? `${text}: it may have come while no controller could receive it`
      : `${text}, ${durationText(graceUs)} grace`;
  }
  const { runId, firstUs } = missed.run;
  const run = `the run${runId === '' ? '' : ` ${runId}`} that began at ${at(firstUs)} (${zone})`;
  return missed.isUnsure
    ? `no end of ${run} is known: it may have come while no controller could receive it`
    : `${run} has not ended within ${durationText(maxRunUs)}`;
}

/** `2026-12-01 02:00:05` in a zone. */
function momentText(us: number, zone: string): string {
  const ms = Math.floor(us / 1000);
  return utcText((ms + zoneOffset(zone)(ms) * 60_000) * 1000)
    .slice(0, 19)
    .replace('T', ' ');
}

function utcText(us: number): string {
  return new Date(Math.floor(us / 1000)).toISOString();
}

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** A length of time in its largest two units: `1 h 30 min`. */
function durationText(us: number): string {
  let left = Math.round(us / secondUs);
  const parts: string[] = [];
  for (const [unit, seconds] of units) {
    const count = Math.floor(left / seconds);
    left -= count * seconds;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.slice(0, 2).join(' ') || '0 s';
}

function shownLog(log: readonly LogEntry[]) {
  if (log.length === 0) return {};
  return { Log: log.map(({ atUs, kind, body }) => ({ Time: utcText(atUs), Call: kind, Body: body })) };
}

function result(
  { deviceNo, createdUs, revision }: ResultDevice,
  atUs: number,
  said: {
    readonly code: number;
    readonly text: string;
    readonly extended: object;
    readonly values: readonly MeasuredValue[] | undefined;
  },
): ParsedResult {
  return {
    deviceNo,
    deviceCreatedUs: createdUs,
    startUs: atUs,
    endUs: atUs,
    revision,
    code: said.code,
    text: said.text,
    blockMs: 0,
    dnsMs: 0,
    connectMs: 0,
    sslMs: 0,
    ttfbMs: 0,
    ttlbMs: 0,
    dataSize: 0,
    attempt: 0,
    retryId: null,
    runRequestId: null,
    slow: false,
    extended: JSON.stringify(said.extended),
    behindAnchor: false,
    values: said.values,
  };
}
