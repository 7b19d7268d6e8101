import { intersectSpans, receiver, type Span } from '@vantage/domain';
import type { UptimeFacts } from '@vantage/health';
import type { Tables } from '@vantage/storage';
import { type Kysely, type RawBuilder, sql } from 'kysely';

/** The devices whose uptime is requested, each with its period. All times are microseconds since 1970. */
export interface UptimeRequest {
  /** `fromUs` is the start of the device's period. Each device is listed once. */
  readonly devices: readonly AskedDevice[];
  readonly toUs: number;
  readonly nowUs: number;
}

/** A device with the start of its period. */
export interface AskedDevice {
  readonly deviceNo: number;
  readonly createdUs: number;
  readonly fromUs: number;
}

/** Coverage of a connected agent that ends at most this long ago is extended to now. */
const coverageLagUs = 120_000_000;

/** The inputs of the uptime of devices. */
interface Facts {
  of(device: AskedDevice): UptimeFacts;
  /** Of the kind of which most were read. */
  readonly rows: number;
}

/**
 * Reads the facts. Returns undefined where a statement finds more than `maxRows`, and with `isCut` the rows that it
 * found first.
 */
export async function readFacts(
  db: Kysely<Tables>,
  { devices, toUs, nowUs }: UptimeRequest,
  { maxRows, isCut }: { readonly maxRows: number; readonly isCut: boolean },
): Promise<Facts | undefined> {
  const deviceNos = devices.map(({ deviceNo }) => deviceNo);
  const period = { fromUs: Math.min(...devices.map(({ fromUs }) => fromUs)), toUs };
  const ask = { db, deviceNos, period, nowUs, limit: sql`limit ${maxRows + 1}` };
  const [intervals, assigned, covered, maintenance, excluded] = await Promise.all([
    intervalsIn(ask, devices),
    assignedIn(ask),
    coveredIn(ask),
    maintenanceIn(ask),
    excludedIn(ask),
  ]);
  const all = [intervals, assigned, covered, maintenance, excluded];
  const rows = Math.max(...all.map(({ length }) => length));
  if (rows > maxRows && !isCut) return undefined;
  const byDevice = {
    intervals: Map.groupBy(intervals, ({ deviceNo }) => deviceNo),
    maintenance: Map.groupBy(maintenance, ({ deviceNo }) => deviceNo),
    excluded: Map.groupBy(excluded, ({ deviceNo }) => deviceNo),
  };
  const coverage = coverageOf(assigned, covered);
  return {
    rows,
    of: ({ deviceNo, createdUs }) => ({
      createdUs,
      intervals: byDevice.intervals.get(deviceNo) ?? [],
      coverage: coverage(deviceNo),
      maintenance: byDevice.maintenance.get(deviceNo) ?? [],
      excluded: byDevice.excluded.get(deviceNo) ?? [],
    }),
  };
}

/** A request for the facts of devices. */
interface Ask {
  readonly db: Kysely<Tables>;
  readonly deviceNos: readonly number[];
  /** The widest period of the devices. */
  readonly period: Span;
  readonly nowUs: number;
  readonly limit: RawBuilder<unknown>;
}

/** The status intervals in each device's period, from the interval that contains its begin on, in any order. */
async function intervalsIn(
  { db, period, limit }: Ask,
  devices: readonly AskedDevice[],
): Promise<({ deviceNo: number } & UptimeFacts['intervals'][number])[]> {
  const { rows } = await sql<{ deviceNo: number } & UptimeFacts['intervals'][number]>`
    select asked.device_no as "deviceNo", i.from_us as "fromUs", i.status
    from unnest(${devices.map((one) => one.deviceNo)}::int[], ${devices.map((one) => one.fromUs)}::bigint[])
      as asked (device_no, period_us)
    cross join lateral (
      select from_us, status from status_intervals where device_no = asked.device_no and from_us < ${period.toUs}::bigint
        and from_us >= coalesce((select max(from_us) from status_intervals
          where device_no = asked.device_no and from_us <= asked.period_us), 0)) i
    ${limit}`.execute(db);
  return rows;
}

/**
 * The spans in which an agent that had a device ran everything that was due. Assignments and coverage are read apart
 * and joined here, because the database would compare each with each for a year of both.
 */
function coverageOf(
  assigned: readonly (AgentSpan & { readonly deviceNo: number })[],
  covered: readonly AgentSpan[],
): (deviceNo: number) => Span[] {
  const assignedTo = Map.groupBy(assigned, ({ deviceNo }) => deviceNo);
  const coveredBy = Map.groupBy(covered, ({ agentNo }) => agentNo);
  return (deviceNo) =>
    [...Map.groupBy(assignedTo.get(deviceNo) ?? [], ({ agentNo }) => agentNo)].flatMap(([agentNo, spans]) =>
      intersectSpans(spans, coveredBy.get(agentNo) ?? []),
    );
}

/** A span of one device. */
interface DeviceSpan extends Span {
  readonly deviceNo: number;
}

/** A span of one agent. */
interface AgentSpan extends Span {
  readonly agentNo: number;
}

/** The assignment spans of these devices. The controllers have every Push device, at all times. */
async function assignedIn({
  db,
  deviceNos,
  period,
  nowUs,
  limit,
}: Ask): Promise<(AgentSpan & { readonly deviceNo: number })[]> {
  const { rows } = await sql<AgentSpan & { readonly deviceNo: number }>`
    select device_no as "deviceNo", agent_no as "agentNo", from_us as "fromUs", coalesce(to_us, ${nowUs}::bigint) as "toUs"
    from assignment_spans
    where device_no = any(${deviceNos}::int[]) and from_us < ${period.toUs}::bigint
      and coalesce(to_us, ${nowUs}::bigint) > ${period.fromUs}::bigint
    union all select device_no, ${receiver.agentNo}, 0, ${nowUs}::bigint from devices
      where device_no = any(${deviceNos}::int[]) and method = 'Push' ${limit}`.execute(db);
  return rows;
}

/**
 * The coverage of the agents to which these devices were ever assigned. Only the last span of a connected agent is
 * extended to now; a hole before it stays. Push devices are covered while a controller receives calls.
 */
async function coveredIn({ db, deviceNos, period, nowUs, limit }: Ask): Promise<AgentSpan[]> {
  const { rows } = await sql<AgentSpan>`
    select agent_no as "agentNo", from_us as "fromUs", to_us as "toUs" from (
      select c.agent_no, c.from_us,
        case when a.state = 'Connected' and a.offline_reason is null and c.to_us > ${nowUs - coverageLagUs}::bigint
            and not exists (select from coverage l where l.agent_no = c.agent_no and l.from_us > c.from_us offset 0)
          then greatest(c.to_us, ${nowUs}::bigint) else c.to_us end as to_us
      from coverage c join agents a on a.agent_no = c.agent_no
      where c.agent_no in (select agent_no from assignment_spans where device_no = any(${deviceNos}::int[]))
        and c.from_us < ${period.toUs}::bigint
      union all select ${receiver.agentNo}, from_us, case when not ended and to_us > ${nowUs - coverageLagUs}::bigint
          then greatest(to_us, ${nowUs}::bigint) else to_us end
        from push_receivers
        where from_us < ${period.toUs}::bigint and exists (
          select from devices where device_no = any(${deviceNos}::int[]) and method = 'Push')) covered
    where to_us > ${period.fromUs}::bigint ${limit}`.execute(db);
  return rows;
}

/** The maintenance windows that touch the period. */
async function maintenanceIn({ db, deviceNos, period, limit }: Ask): Promise<DeviceSpan[]> {
  const { rows } = await sql<DeviceSpan>`
    select device_no as "deviceNo", from_us as "fromUs", to_us as "toUs" from maintenance_windows
    where device_no = any(${deviceNos}::int[]) and to_us > ${period.fromUs}::bigint and from_us < ${period.toUs}::bigint
    ${limit}`.execute(db);
  return rows;
}

/** The outages of these devices that people left out of reports, each from its first error to the next Up. */
async function excludedIn({ db, deviceNos, period, limit }: Ask): Promise<DeviceSpan[]> {
  const { rows } = await sql<{ deviceNo: number; fromUs: number; toUs: number | null }>`
    select n.device_no as "deviceNo", n.from_us as "fromUs", (
      select min(from_us) from status_intervals where device_no = n.device_no and from_us > n.from_us and status = 'Up') as "toUs"
    from outage_notes n where n.device_no = any(${deviceNos}::int[]) and n.excluded and n.from_us < ${period.toUs}::bigint
    ${limit}`.execute(db);
  return rows.map(({ toUs, ...span }) => ({ ...span, toUs: toUs ?? Number.POSITIVE_INFINITY }));
}
