import { setImmediate } from 'node:timers/promises';
import { intersectSpans, type Span } from '@vantage/domain';
import { type ShownSpan, timeline, type Uptime, type UptimeFacts, uptime as uptimeOf } from '@vantage/health';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';

/** The devices whose uptime is asked for, each with its period. All times are microseconds since 1970. */
export interface UptimeRequest {
  /** `fromUs` is the begin of the device's period. No device stands here twice. */
  readonly devices: readonly {
    readonly deviceNo: number;
    readonly createdUs: number;
    readonly fromUs: number;
  }[];
  readonly toUs: number;
  readonly nowUs: number;
}

/** Coverage of a connected agent that ends at most this long ago counts as going on until now. */
const coverageLagUs = 120_000_000;
/** Devices whose figures are summed before other requests get their share of the process. */
const devicesAtOnce = 10;
/** Those of a day are short. */
const timelinesAtOnce = 100;

/**
 * The uptime of each device over [from, to), by the device's number; a period that ends in the future counts as if it
 * ended now. Reads no checks. The number of statements does not depend on the number of devices.
 */
export async function uptimes(
  db: Kysely<Tables>,
  { devices, toUs: askedToUs, nowUs }: UptimeRequest,
): Promise<ReadonlyMap<number, Uptime>> {
  const toUs = Math.min(askedToUs, nowUs);
  const figures = new Map<number, Uptime>();
  if (devices.length === 0) return figures;
  const facts = await readFacts(db, { devices, toUs, nowUs });
  for (const [at, device] of devices.entries()) {
    if (at > 0 && at % devicesAtOnce === 0) await setImmediate();
    const { deviceNo, fromUs } = device;
    figures.set(deviceNo, uptimeOf(facts(device), { fromUs, toUs: Math.max(fromUs, toUs) }));
  }
  return figures;
}

/** The shown statuses of each device over [from, to), by the device's number, in the order of time. Reads no checks. */
export async function timelines(
  db: Kysely<Tables>,
  { devices, toUs: askedToUs, nowUs }: UptimeRequest,
): Promise<ReadonlyMap<number, readonly ShownSpan[]>> {
  const toUs = Math.min(askedToUs, nowUs);
  const spans = new Map<number, readonly ShownSpan[]>();
  if (devices.length === 0) return spans;
  const facts = await readFacts(db, { devices, toUs, nowUs });
  for (const [at, device] of devices.entries()) {
    if (at > 0 && at % timelinesAtOnce === 0) await setImmediate();
    const { deviceNo, fromUs } = device;
    spans.set(deviceNo, timeline(facts(device), { fromUs, toUs: Math.max(fromUs, toUs) }));
  }
  return spans;
}

/** The uptime of one device in `parts` equal spans that end at `nowUs`, oldest first. Reads no checks. */
export async function uptimeParts(
  db: Kysely<Tables>,
  ask: {
    readonly deviceNo: number;
    readonly createdUs: number;
    readonly parts: number;
    readonly partUs: number;
    readonly nowUs: number;
  },
): Promise<readonly Uptime[]> {
  const { deviceNo, createdUs, parts, partUs, nowUs } = ask;
  const device = { deviceNo, createdUs, fromUs: nowUs - parts * partUs };
  const facts = (await readFacts(db, { devices: [device], toUs: nowUs, nowUs }))(device);
  return Array.from({ length: parts }, (_, n) => {
    const fromUs = device.fromUs + n * partUs;
    return uptimeOf(facts, { fromUs, toUs: fromUs + partUs });
  });
}

/** The inputs of the uptime of each device. */
async function readFacts(
  db: Kysely<Tables>,
  { devices, toUs, nowUs }: UptimeRequest,
): Promise<(device: UptimeRequest['devices'][number]) => UptimeFacts> {
  const deviceNos = devices.map(({ deviceNo }) => deviceNo);
  const widest = { fromUs: Math.min(...devices.map(({ fromUs }) => fromUs)), toUs };
  const [intervals, coverage, maintenance, excluded] = await Promise.all([
    intervalsIn(db, devices, toUs),
    coverageIn(db, deviceNos, widest, nowUs),
    maintenanceIn(db, deviceNos, widest),
    excludedIn(db, deviceNos),
  ]);
  return ({ deviceNo, createdUs }) => ({
    createdUs,
    intervals: intervals.get(deviceNo) ?? [],
    coverage: coverage(deviceNo),
    maintenance: maintenance.get(deviceNo) ?? [],
    excluded: excluded.get(deviceNo) ?? [],
  });
}

/** The status intervals in each device's period, from the interval that contains its begin on. */
async function intervalsIn(
  db: Kysely<Tables>,
  devices: UptimeRequest['devices'],
  toUs: number,
): Promise<Map<number, UptimeFacts['intervals'][number][]>> {
  const { rows } = await sql<{ deviceNo: number } & UptimeFacts['intervals'][number]>`
    select asked.device_no as "deviceNo", i.from_us as "fromUs", i.status
    from unnest(${devices.map((one) => one.deviceNo)}::int[], ${devices.map((one) => one.fromUs)}::bigint[])
      as asked (device_no, period_us)
    cross join lateral (
      select from_us, status from status_intervals where device_no = asked.device_no and from_us < ${toUs}::bigint
        and from_us >= coalesce((select max(from_us) from status_intervals
          where device_no = asked.device_no and from_us <= asked.period_us), 0)) i
    order by asked.device_no, i.from_us`.execute(db);
  return Map.groupBy(rows, ({ deviceNo }) => deviceNo);
}

/**
 * The spans in which an agent that had a device ran everything that was due. Assignments and coverage are read apart
 * and joined here, because the database would compare each with each for a year of both.
 */
async function coverageIn(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
  period: Span,
  nowUs: number,
): Promise<(deviceNo: number) => Span[]> {
  const [assigned, covered] = await Promise.all([
    assignedIn(db, deviceNos, period, nowUs),
    coveredIn(db, deviceNos, period, nowUs),
  ]);
  const assignedTo = Map.groupBy(assigned, ({ deviceNo }) => deviceNo);
  const coveredBy = Map.groupBy(covered, ({ agentNo }) => agentNo);
  return (deviceNo) =>
    [...Map.groupBy(assignedTo.get(deviceNo) ?? [], ({ agentNo }) => agentNo)].flatMap(([agentNo, spans]) =>
      intersectSpans(spans, coveredBy.get(agentNo) ?? []),
    );
}

/** A span of one agent. */
interface AgentSpan extends Span {
  readonly agentNo: number;
}

/** The assignment spans of these devices. */
async function assignedIn(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
  period: Span,
  nowUs: number,
): Promise<(AgentSpan & { readonly deviceNo: number })[]> {
  const { rows } = await sql<AgentSpan & { readonly deviceNo: number }>`
    select device_no as "deviceNo", agent_no as "agentNo", from_us as "fromUs", coalesce(to_us, ${nowUs}::bigint) as "toUs"
    from assignment_spans
    where device_no = any(${deviceNos}::int[]) and from_us < ${period.toUs}::bigint
      and coalesce(to_us, ${nowUs}::bigint) > ${period.fromUs}::bigint`.execute(db);
  return rows;
}

/**
 * The coverage of the agents that ever had these devices. Only the last span of a connected agent goes on to now: a
 * hole before it stays.
 */
async function coveredIn(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
  period: Span,
  nowUs: number,
): Promise<AgentSpan[]> {
  const { rows } = await sql<AgentSpan>`
    select agent_no as "agentNo", from_us as "fromUs", to_us as "toUs" from (
      select c.agent_no, c.from_us,
        case when a.state = 'Connected' and a.offline_reason is null and c.to_us > ${nowUs - coverageLagUs}::bigint
            and not exists (select from coverage l where l.agent_no = c.agent_no and l.from_us > c.from_us offset 0)
          then greatest(c.to_us, ${nowUs}::bigint) else c.to_us end as to_us
      from coverage c join agents a on a.agent_no = c.agent_no
      where c.agent_no in (select agent_no from assignment_spans where device_no = any(${deviceNos}::int[]))
        and c.from_us < ${period.toUs}::bigint) covered
    where to_us > ${period.fromUs}::bigint`.execute(db);
  return rows;
}

/** The maintenance windows that touch the period. */
async function maintenanceIn(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
  period: Span,
): Promise<Map<number, (Span & { readonly deviceNo: number })[]>> {
  const { rows } = await sql<Span & { readonly deviceNo: number }>`
    select device_no as "deviceNo", from_us as "fromUs", to_us as "toUs" from maintenance_windows
    where device_no = any(${deviceNos}::int[]) and to_us > ${period.fromUs}::bigint and from_us < ${period.toUs}::bigint`.execute(
    db,
  );
  return Map.groupBy(rows, ({ deviceNo }) => deviceNo);
}

/** The outages of these devices that people left out of reports, each from its first error to the next Up. */
async function excludedIn(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<Map<number, (Span & { readonly deviceNo: number })[]>> {
  const { rows } = await sql<{ deviceNo: number; fromUs: number; toUs: number | null }>`
    select n.device_no as "deviceNo", n.from_us as "fromUs", (
      select min(from_us) from status_intervals where device_no = n.device_no and from_us > n.from_us and status = 'Up') as "toUs"
    from outage_notes n where n.device_no = any(${deviceNos}::int[]) and n.excluded`.execute(db);
  const spans = rows.map(({ toUs, ...span }) => ({ ...span, toUs: toUs ?? Number.POSITIVE_INFINITY }));
  return Map.groupBy(spans, ({ deviceNo }) => deviceNo);
}
