import { z } from 'zod';
import type { Zone } from '../../rest/http/zone.ts';
import { checkRecord, showCheck } from './check-record.ts';

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
interface TrialResult {
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
}

const perf = { Ok: 0, Slow: 1, Error: 2 } as const;

/** Shows a trial as the record of a check. */
export function showTrial(result: TrialResult, location: string, zone: Zone): z.input<typeof trialRecord> {
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
  };
  return { ...showCheck(row, zone), check_id: null, Extended: extendedOf(result.extended) };
}

function extendedOf(text: string | null): Record<string, unknown> {
  return text === null ? {} : z.record(z.string(), z.unknown()).parse(JSON.parse(text));
}
