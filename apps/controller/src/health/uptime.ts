import { intersectSpans, type Span } from '@vantage/domain';
import { type Uptime, type UptimeFacts, uptime as uptimeOf } from '@vantage/health';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../db/index.ts';

/** Which device's uptime, and of which period. All times microseconds since 1970. */
export interface UptimeRequest {
  readonly deviceNo: number;
  readonly createdUs: number;
  readonly fromUs: number;
  readonly toUs: number;
  readonly nowUs: number;
}

/** A connected agent's coverage that was told up to here is taken to go on until now; more than that is a hole. */
const coverageLagUs = 120_000_000;

/** The device's uptime over [from, to); what lies in the future counts as if the period ended now. Reads no checks. */
export async function uptime(db: Kysely<Tables>, request: UptimeRequest): Promise<Uptime> {
  const { createdUs } = request;
  const toUs = Math.max(request.fromUs, Math.min(request.toUs, request.nowUs));
  const period = { fromUs: request.fromUs, toUs };
  const [intervals, coverage, maintenance] = await Promise.all([
    intervalsIn(db, request.deviceNo, period),
    coverageIn(db, request.deviceNo, period, request.nowUs),
    maintenanceIn(db, request.deviceNo, period),
  ]);
  return uptimeOf({ createdUs, intervals, coverage, maintenance }, period);
}

/** What did results say in this period? The interval that holds its beginning comes first. */
function intervalsIn(
  db: Kysely<Tables>,
  deviceNo: number,
  period: Span,
): Promise<UptimeFacts['intervals'][number][]> {
  return db
    .selectFrom('status_intervals')
    .select(['from_us as fromUs', 'status'])
    .where('device_no', '=', deviceNo)
    .where('from_us', '<', period.toUs)
    .where(
      'from_us',
      '>=',
      sql<number>`coalesce((select max(from_us) from status_intervals
        where device_no = ${deviceNo} and from_us <= ${period.fromUs}::bigint), 0)`,
    )
    .orderBy('from_us')
    .execute();
}

/**
 * When did an agent that held the device run everything that was due? What was held and what was covered are read apart and joined here: a
 * year of both makes the database compare each with each.
 */
async function coverageIn(
  db: Kysely<Tables>,
  deviceNo: number,
  period: Span,
  nowUs: number,
): Promise<Span[]> {
  const [assigned, covered] = await Promise.all([
    assignedIn(db, deviceNo, period, nowUs),
    coveredIn(db, deviceNo, period, nowUs),
  ]);
  const coveredBy = Map.groupBy(covered, ({ agentNo }) => agentNo);
  return [...Map.groupBy(assigned, ({ agentNo }) => agentNo)].flatMap(([agentNo, spans]) =>
    intersectSpans(spans, coveredBy.get(agentNo) ?? []),
  );
}

/** A span of one agent. */
interface AgentSpan extends Span {
  readonly agentNo: number;
}

/** Who held the device when? */
async function assignedIn(
  db: Kysely<Tables>,
  deviceNo: number,
  period: Span,
  nowUs: number,
): Promise<AgentSpan[]> {
  const { rows } = await sql<AgentSpan>`
    select agent_no as "agentNo", from_us as "fromUs", coalesce(to_us, ${nowUs}::bigint) as "toUs" from assignment_spans
    where device_no = ${deviceNo} and from_us < ${period.toUs}::bigint
      and coalesce(to_us, ${nowUs}::bigint) > ${period.fromUs}::bigint`.execute(db);
  return rows;
}

/** When did the agents that ever held the device run everything that was due? */
async function coveredIn(
  db: Kysely<Tables>,
  deviceNo: number,
  period: Span,
  nowUs: number,
): Promise<AgentSpan[]> {
  const { rows } = await sql<AgentSpan>`
    select agent_no as "agentNo", from_us as "fromUs", to_us as "toUs" from (
      select c.agent_no, c.from_us,
        case when a.state = 'Connected' and a.offline_reason is null and c.to_us > ${nowUs - coverageLagUs}::bigint
          then greatest(c.to_us, ${nowUs}::bigint) else c.to_us end as to_us
      from coverage c join agents a on a.agent_no = c.agent_no
      where c.agent_no in (select agent_no from assignment_spans where device_no = ${deviceNo})
        and c.from_us < ${period.toUs}::bigint) covered
    where to_us > ${period.fromUs}::bigint`.execute(db);
  return rows;
}

/** Which maintenance windows touch the period? */
function maintenanceIn(db: Kysely<Tables>, deviceNo: number, period: Span): Promise<Span[]> {
  return db
    .selectFrom('maintenance_windows')
    .select(['from_us as fromUs', 'to_us as toUs'])
    .where('device_no', '=', deviceNo)
    .where('to_us', '>', period.fromUs)
    .where('from_us', '<', period.toUs)
    .execute();
}
