import { verdictSql } from '@vantage/domain';
import { type RawBuilder, sql } from 'kysely';
import { packedHistogram, phaseColumns, phaseRadix } from './phase-histogram.ts';

/** The log scale of the histograms: slot i has the values in (smallest * growth^(i-1), smallest * growth^i]. */
export interface LatencyScale {
  readonly smallestMs: number;
  readonly growth: number;
}

const isGood = sql`(is_regular and ${sql.raw(verdictSql('good', 'code'))})`;
const isBad = sql`(is_regular and ${sql.raw(verdictSql('bad', 'code'))})`;
const isInconclusive = sql`(is_regular and ${sql.raw(verdictSql('inconclusive', 'code'))})`;

/**
 * A SELECT of the sums of checks by device, bucket and Location. `checks` follows FROM and has all columns of the view
 * `checks`; `widthUs` is the width of a bucket. Roll-ups store these rows, and statistics read them where no roll-up
 * exists, so that both agree. Without `phases` their two columns are null, which is cheaper.
 */
export function checkSums(
  checks: RawBuilder<unknown>,
  {
    scale,
    widthUs,
    phases,
  }: { readonly scale: LatencyScale; readonly widthUs: number; readonly phases: boolean },
): RawBuilder<unknown> {
  const keys = sql`device_no, bucket_us, location_no`;
  return sql`
    with chosen as (
      select device_no, location_no, start_us - start_us % ${sql.lit(widthUs)}::bigint as bucket_us, code,
        ${packetCount('Sent')} as sent, ${packetCount('Received')} as received,
        ${sql.join(phaseColumns.map((name) => sql`${sql.ref(name)}::float8`))},
        dns_ms::float8 + connect_ms + ssl_ms + ttfb_ms + ttlb_ms as total_ms,
        ${checkKind.regular} as is_regular, ${checkKind.retry} as is_retry, ${checkKind.onRequest} as is_on_request
      from ${checks}
    ), sums as (
      select ${keys}, count(*) filter (where is_regular)::int as checks,
        count(*) filter (where is_retry)::int as retries, count(*) filter (where is_on_request)::int as on_request,
        count(*) filter (where ${isBad})::int as errors,
        count(*) filter (where ${isInconclusive})::int as inconclusive,
        coalesce(sum(total_ms) filter (where ${isGood}), 0) as sum_ms,
        coalesce(min(total_ms) filter (where ${isGood}), 0) as min_ms,
        coalesce(max(total_ms) filter (where ${isGood}), 0) as max_ms,
        coalesce(sum(greatest(0, sent - received)) filter (where is_regular), 0) as lost,
        coalesce(sum(sent) filter (where is_regular), 0) as sent, ${phases ? phaseSums : sql`null::float8[]`} as phase_sums
      from chosen group by ${keys}
    ), histograms as (
      select ${keys}, array_agg(array[slot, n] order by slot) as histogram
      from (select ${keys}, ${slotOf('total_ms', scale)} as slot, count(*)::int as n
        from chosen where ${isGood} group by ${keys}, slot) counts
      group by ${keys}
    ), phase_histograms as (${phases ? phaseHistograms(keys, scale) : noPhases(keys)})
    select sums.*, coalesce(histogram, '{}') as histogram,
      ${phases ? sql`coalesce(phase_histogram, '')` : sql`null::bytea`} as phase_histogram
    from sums left join histograms using (${keys}) left join phase_histograms using (${keys})`;
}

const phaseSums = sql`array[${sql.join(
  phaseColumns.map((name) => sql`coalesce(sum(${sql.ref(name)}) filter (where ${isGood}), 0)`),
)}]`;

function slotOf(column: string, { smallestMs, growth }: LatencyScale): RawBuilder<unknown> {
  const [smallest, factor] = [sql`${sql.lit(smallestMs)}::float8`, sql`${sql.lit(growth)}::float8`];
  return sql`greatest(0, ceil(ln(greatest(${sql.ref(column)}, ${smallest}) / ${smallest}) / ln(${factor})))::int`;
}

/** Phases of 0 ms are not counted: their number is the number of good checks minus the counts. */
function phaseHistograms(keys: RawBuilder<unknown>, scale: LatencyScale): RawBuilder<unknown> {
  const phases = sql.join(phaseColumns.map((name, at) => sql`(${sql.lit(at)}, ${sql.ref(name)})`));
  return sql`
      select ${keys}, ${packedHistogram} as phase_histogram
      from (select ${keys}, ${slotOf('ms', scale)} * ${sql.lit(phaseRadix)} + phase as entry, count(*) as n
        from chosen cross join lateral (values ${phases}) as phases (phase, ms)
        where ${isGood} and ms > 0 group by ${keys}, entry) counts
      group by ${keys}`;
}

function noPhases(keys: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select ${keys}, null::bytea as phase_histogram from chosen where false`;
}

/** Conditions over a row of `checks`; exactly one of them holds. Statistics are of regular checks only. */
const checkKind: Readonly<Record<'regular' | 'retry' | 'onRequest', RawBuilder<boolean>>> = {
  regular: sql<boolean>`(attempt = 0 and run_request_id is null)`,
  retry: sql<boolean>`(attempt > 0)`,
  onRequest: sql<boolean>`(attempt = 0 and run_request_id is not null)`,
};

/** More packets than any check sends; their sums stay exact. */
const maxPackets = 1_000_000;

/**
 * A number of packets in a check's extended data (`Sent`, `Received`) as float8, or 0 where there is none. The agent's
 * value is not trusted: any number of the jsonb is clamped to 0 to a million before it becomes a float8.
 */
function packetCount(key: 'Sent' | 'Received'): RawBuilder<number> {
  const name = sql.lit(key);
  return sql`case when jsonb_typeof(extended->${name}) = 'number'
    then round(least(greatest((extended->>${name})::numeric, 0), ${sql.lit(maxPackets)}))::float8 else 0 end`;
}
