import { dayUs, hourUs } from '@vantage/domain';
import { checkSums, type LatencyScale, type Reader, startOfDay } from '@vantage/storage';
import {
  type CheckSpan,
  checksOfSpan,
  checksTable,
  hasPackedDay,
  mayBePacked,
} from '@vantage/storage/packed';
import { type RawBuilder, sql } from 'kysely';
import type { OutageSegment } from '../outages/segments.ts';

export type { LatencyScale } from '@vantage/storage';

/** Counts of one Location's checks in a bucket: an hour, a day of the daily roll-up, or minutes. */
export interface Tally {
  /** Begin, microseconds since 1970. */
  readonly bucket_us: number;
  readonly location_no: number;
  /** Regular checks; all figures but the two below are of these. */
  readonly checks: number;
  readonly retries: number;
  readonly on_request: number;
  readonly errors: number;
  readonly inconclusive: number;
  /** Of good checks: sum, least and most of RequestTime, milliseconds. */
  readonly sum_ms: number;
  readonly min_ms: number;
  readonly max_ms: number;
  /** PING packets. */
  readonly lost: number;
  readonly sent: number;
  /** Pairs [bucket of the log scale, count]. */
  readonly histogram: readonly (readonly number[])[];
  /** Sums of the phases of good checks in the order of `phaseColumns`, milliseconds; null: not known. */
  readonly phase_sums: readonly number[] | null;
  /** As `readPhaseCounts` reads it; null: not known. */
  readonly phase_histogram: Uint8Array | null;
}

/** The functions of the roll-ups that statistics read. */
export interface RollUpReader {
  /** Hours before `rolledToUs` are rolled up, except those in `dirty`. */
  readProgress(
    kysely: Reader['kysely'],
  ): Promise<{ readonly rolledToUs: number; readonly dirty: ReadonlySet<number> }>;
  /** The start of the first day or hour of a device. */
  firstBucketUs(kysely: Reader['kysely'], deviceNo: number): Promise<number | undefined>;
  readRollUps(
    kysely: Reader['kysely'],
    span: {
      readonly deviceNo: number;
      readonly source: 'hourly' | 'daily';
      readonly fromUs: number;
      readonly toUs: number;
      readonly phases: boolean;
    },
  ): Promise<readonly Tally[]>;
}

/** The start of a device's first check; undefined if it has none. */
export async function readFirstCheckUs({ kysely }: Reader, deviceNo: number): Promise<number | undefined> {
  const { rows } = await sql<{ first_us: number | null }>`
    select least((select min(start_us) from checks where device_no = ${deviceNo}),
      (select first_us from packed_devices where device_no = ${deviceNo})) as first_us`.execute(kysely);
  return rows[0]?.first_us ?? undefined;
}

/** The tallies of a device to read. */
export interface TallyAsk {
  readonly deviceNo: number;
  /** The width of the buckets of raw checks, microseconds. */
  readonly widthUs: number;
  /** The Locations that count; undefined: all. */
  readonly locationNos: readonly number[] | undefined;
  readonly phases: boolean;
}

/** A device's tallies of one segment. */
export async function readTallies(
  db: Reader,
  deps: TallyDeps,
  ask: TallyAsk,
  { source, fromUs, toUs }: OutageSegment,
): Promise<readonly Tally[]> {
  const { deviceNo, locationNos, phases } = ask;
  const isMeant = ({ location_no: no }: Tally) => locationNos === undefined || locationNos.includes(no);
  if (source === 'raw') return (await readRaw(db, deps, ask, { fromUs, toUs })).filter(isMeant);
  const span = { deviceNo, source, fromUs, toUs, phases };
  const tallies = (await deps.rollUps.readRollUps(db.kysely, span)).filter(isMeant);
  return phases
    ? withPhases(db, deps, { ...ask, widthUs: source === 'daily' ? dayUs : hourUs }, tallies)
    : tallies;
}

/**
 * Adds phases from the checks to tallies that were rolled up without phases. A tally whose checks were dropped stays as
 * it is.
 */
async function withPhases(
  db: Reader,
  deps: TallyDeps,
  ask: TallyAsk,
  tallies: readonly Tally[],
): Promise<readonly Tally[]> {
  const buckets = [...new Set(tallies.filter(lacksPhases).map(({ bucket_us: us }) => us))].sort(
    (a, b) => a - b,
  );
  const found = new Map<string, Tally>();
  for (const span of joined(buckets, ask.widthUs))
    for (const tally of await readRaw(db, deps, ask, span)) found.set(nameOf(tally), tally);
  return tallies.map((tally) => {
    const raw = lacksPhases(tally) ? found.get(nameOf(tally)) : undefined;
    return raw?.checks === tally.checks ? raw : tally;
  });
}

/**
 * The sums of the phases add up to that of the times, unless a controller of a version that does not know phases rolled
 * the bucket up.
 */
function lacksPhases({ phase_sums: sums, sum_ms: sumMs }: Tally): boolean {
  const known = sums?.reduce((all, one) => all + one, 0) ?? -1;
  return Math.abs(known - sumMs) > 1e-6 * Math.max(1, sumMs);
}

function nameOf({ bucket_us: us, location_no: locationNo }: Tally): string {
  return `${us}/${locationNo}`;
}

/** The spans of buckets, neighbours joined. Pure. */
function joined(begins: readonly number[], widthUs: number): { fromUs: number; toUs: number }[] {
  const spans: { fromUs: number; toUs: number }[] = [];
  for (const us of begins) {
    const last = spans.at(-1);
    if (last?.toUs === us) last.toUs = us + widthUs;
    else spans.push({ fromUs: us, toUs: us + widthUs });
  }
  return spans;
}

/** The tallies of the checks of a span. */
async function readRaw(
  { kysely }: Reader,
  { nowUs, scale }: TallyDeps,
  { deviceNo, widthUs, phases }: TallyAsk,
  { fromUs, toUs }: Omit<CheckSpan, 'deviceNo'>,
): Promise<readonly Tally[]> {
  const span = { deviceNo, fromUs, toUs };
  const tallies = async (checks: RawBuilder<unknown>) =>
    (await sql<Tally>`${checkSums(checks, { scale, widthUs, phases })}`.execute(kysely)).rows;
  const rows = await tallies(
    sql`checks where device_no = ${deviceNo} and start_us >= ${fromUs} and start_us < ${toUs}`,
  );
  // Asked after the rows were read: a check that is packed meanwhile is not missed.
  if (!mayBePacked(fromUs, nowUs) || !(await hasPackedDay(kysely, span))) return rows;
  const all: Tally[] = [];
  for (let at = fromUs; at < toUs; ) {
    const end = Math.min(startOfDay(at) + dayUs, toUs);
    all.push(
      ...(await tallies(checksTable(await checksOfSpan(kysely, { deviceNo, fromUs: at, toUs: end })))),
    );
    at = end;
  }
  return all;
}

interface TallyDeps {
  readonly rollUps: RollUpReader;
  readonly scale: LatencyScale;
  readonly nowUs: number;
}

/** The Locations with these numbers. */
export async function readLocationNames(
  { kysely }: Pick<Reader, 'kysely'>,
  locationNos: readonly number[],
): Promise<ReadonlyMap<number, { readonly location_id: string; readonly name: string }>> {
  if (locationNos.length === 0) return new Map();
  const rows = await kysely
    .selectFrom('locations')
    .select(['location_no', 'location_id', 'name'])
    .where('location_no', 'in', locationNos)
    .execute();
  return new Map(rows.map((row) => [row.location_no, row]));
}

/** The names of the agents with these numbers. */
export async function readAgentNames(
  { kysely }: Pick<Reader, 'kysely'>,
  agentNos: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (agentNos.length === 0) return new Map();
  const rows = await kysely
    .selectFrom('agents')
    .select(['agent_no', 'name'])
    .where('agent_no', 'in', agentNos)
    .execute();
  return new Map(rows.map(({ agent_no, name }) => [agent_no, name]));
}
