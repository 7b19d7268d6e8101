import type { MeasuredValue } from '@vantage/domain';
import { idField, timestampField } from '@vantage/rest-kit/field';
import type { Zone } from '@vantage/rest-kit/zone';
import { z } from 'zod';
import { measuredValue } from '../values/value-fields.ts';
import { namedValues, type Series } from '../values/value-store.ts';
import { type ExtendedFacts, idOf, type NamedCheck } from './check-store.ts';

/** The values of PerfStat. Their positions are the numbers that are stored. */
export const perfStats = ['Ok', 'Slow', 'Error'] as const;

const ms = z.number().min(0);

/** A check record. */
export const checkRecord = z
  .strictObject({
    check_id: idField,
    Location: z.string(),
    Timestamp: timestampField.describe('Start of the check.'),
    BlockTime: ms.describe(
      'How late the check started after its due time, milliseconds; not in RequestTime.',
    ),
    ConnectTime: ms,
    DNSTime: ms,
    SSLTime: ms,
    TTFB: ms.describe('Request sent to first byte of the answer, milliseconds.'),
    TTLB: ms.describe('First to last byte, milliseconds.'),
    RequestTime: ms.describe('Sum of DNSTime, ConnectTime, SSLTime, TTFB and TTLB.'),
    Kbps: z.number().min(0),
    PerfStat: z.enum(perfStats),
    ResultCode: z
      .int()
      .describe(
        "1 ok, 2 no answer in time, 3 protocol error, 4 script said error, 5 name not resolved, 6 TLS, 7 expectation not met, 8 login refused, 9 refused by the agent's policy, 10 agent fault (9 and 10 say nothing about the device).",
      ),
    DataSize: z.int().min(0).describe('Bytes of the answer.'),
    CheckResult: z.string().describe('One line for people.'),
    Values: z.array(measuredValue).optional().describe('The values that the check measured; absent: none.'),
  })
  .meta({ id: 'Check' });

/** A check record with the device that it belongs to. */
export const checkOfDevice = z
  .strictObject({ ...checkRecord.shape, device_id: idField })
  .meta({ id: 'CheckOfDevice' });

const fine = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}[+-]\d\d:\d\d$/)
  .describe("ISO 8601 with microseconds, in the account's time zone.");

/** Everything else that is known about a check. */
export const checkExtended = z
  .strictObject({
    check_id: idField,
    device_id: idField,
    Timestamp: fine,
    EndTimestamp: fine,
    ArrivedTimestamp: fine.describe('When a controller got it.'),
    agent_id: idField.nullable(),
    Agent: z.string().nullable(),
    Location: z.string(),
    Attempt: z.int().describe('0: a regular check; k: the k-th retry.'),
    RetryId: z.string().nullable().describe('The retry sequence that it belongs to.'),
    ResultCode: z.int(),
    CheckResult: z.string(),
    Extended: z
      .record(z.string(), z.unknown())
      .describe(
        'Address used and facts of the Method; for failures the diagnostics: transcript, headers, body, certificates.',
      ),
    Values: z.array(measuredValue).describe('The values that the check measured.'),
  })
  .meta({ id: 'CheckExtended' });

/**
 * Shows a check. Phases are rounded to microseconds first, so that they add up to RequestTime as shown. `series` names
 * its values.
 */
export function showCheck(
  row: NamedCheck,
  zone: Zone,
  series: readonly Series[] = [],
): z.input<typeof checkRecord> {
  const [dns = 0, connect = 0, ssl = 0, ttfb = 0, ttlb = 0] = [
    row.dns_ms,
    row.connect_ms,
    row.ssl_ms,
    row.ttfb_ms,
    row.ttlb_ms,
  ].map(rounded);
  const transfer = ttfb + ttlb;
  const values = namedValues(row.measured, series);
  return {
    check_id: idOf(row),
    Location: row.location ?? '',
    Timestamp: zone.format(row.start_us),
    BlockTime: rounded(row.block_ms),
    ConnectTime: connect,
    DNSTime: dns,
    SSLTime: ssl,
    TTFB: ttfb,
    TTLB: ttlb,
    RequestTime: rounded(dns + connect + ssl + ttfb + ttlb),
    Kbps: transfer > 0 ? rounded((row.data_size * 8) / transfer) : 0,
    PerfStat: perfStats[row.perf] ?? 'Error',
    ResultCode: row.code,
    DataSize: Math.round(row.data_size),
    CheckResult: row.check_result,
    ...(values.length > 0 && { Values: [...values] }),
  };
}

/** Shows what the record leaves out. */
export function showExtended(
  row: ExtendedFacts,
  zone: Zone,
  series: readonly Series[],
): z.input<typeof checkExtended> {
  const { extended } = row;
  return {
    check_id: idOf(row),
    device_id: row.device_id,
    Timestamp: zone.formatFine(row.start_us),
    EndTimestamp: zone.formatFine(row.end_us),
    ArrivedTimestamp: zone.formatFine(row.arrived_us),
    agent_id: row.agent_id,
    Agent: row.agent,
    Location: row.location ?? '',
    Attempt: row.attempt,
    RetryId: row.retry_id,
    ResultCode: row.code,
    CheckResult: row.check_result,
    Extended: typeof extended === 'object' && extended !== null ? { ...extended } : {},
    Values: [...namedValues(row.measured, series)],
  };
}

function rounded(value: number): number {
  return Math.max(0, Math.round(value * 1000) / 1000);
}

/** The check of settings that are not stored: it has no id. */
export const trialRecord = z
  .strictObject({
    ...checkRecord.shape,
    check_id: z.null().describe('Always null: the check is not stored.'),
    Extended: z
      .record(z.string(), z.unknown())
      .describe('Address used and facts of the Method; for failures the diagnostics.'),
  })
  .meta({ id: 'TrialRecord' });

/** The measurement of an agent. Times are microseconds since 1970, phases milliseconds. */
interface TrialMeasurement {
  readonly startUs: number;
  readonly code: number;
  readonly text: string;
  readonly blockMs: number;
  readonly dnsMs: number;
  readonly connectMs: number;
  readonly sslMs: number;
  readonly ttfbMs: number;
  readonly ttlbMs: number;
  readonly dataSize: number;
  readonly slow: boolean;
  /** JSON text of an object, or null. */
  readonly extended: string | null;
  readonly values?: readonly MeasuredValue[] | undefined;
}

const perf = { Ok: 0, Slow: 1, Error: 2 } as const;

/** Shows a trial as the record of a check. */
export function showTrial(
  result: TrialMeasurement,
  location: string,
  zone: Zone,
): z.input<typeof trialRecord> {
  const fine = result.slow ? perf.Slow : perf.Ok;
  const row = {
    device_no: 0,
    agent_no: 0,
    start_us: result.startUs,
    location,
    code: result.code,
    perf: result.code === 1 ? fine : perf.Error,
    block_ms: result.blockMs,
    dns_ms: result.dnsMs,
    connect_ms: result.connectMs,
    ssl_ms: result.sslMs,
    ttfb_ms: result.ttfbMs,
    ttlb_ms: result.ttlbMs,
    data_size: result.dataSize,
    check_result: result.text,
    measured: null,
  };
  const { values = [] } = result;
  return {
    ...showCheck(row, zone),
    ...(values.length > 0 && { Values: [...values] }),
    check_id: null,
    Extended: extendedOf(result.extended),
  };
}

function extendedOf(text: string | null): Record<string, unknown> {
  return text === null ? {} : z.record(z.string(), z.unknown()).parse(JSON.parse(text));
}
