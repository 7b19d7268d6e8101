import { type BaseStatus, baseStatuses, hourUs, parseCheckId } from '@vantage/domain';
import { comparePoints, type Point, type RecordedStatus } from '@vantage/health';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** Checks overlap, therefore an event may be recorded this much before the event of an earlier check. Microseconds. */
const overlapUs = hourUs;

/**
 * The statuses that the recorded events of these devices say from `fromUs` on, and the last one before, in the order of
 * their causes. A correction, and an event without a check, follows all events that were recorded before it.
 */
export async function recordedStatuses(
  trx: Kysely<Tables>,
  devices: readonly { readonly deviceNo: number; readonly fromUs: number }[],
): Promise<Map<number, RecordedStatus[]>> {
  if (devices.length === 0) return new Map();
  const { rows } = await sql<RecordedRow>`
    select d.device_no as "deviceNo", e.status, e.check_id as "checkId", e.at_us as "atUs",
      e.location_no is null as "isCorrection"
    from unnest(${devices.map((one) => one.deviceNo)}::int[],
      ${devices.map((one) => one.fromUs - overlapUs)}::bigint[]) as d (device_no, from_us)
    cross join lateral (
      (select * from events where device_no = d.device_no and type = any(${baseStatuses}::text[])
        and at_us < d.from_us order by at_us desc, event_no desc limit 1)
      union all
      (select * from events where device_no = d.device_no and type = any(${baseStatuses}::text[])
        and at_us >= d.from_us)
    ) e
    order by e.event_no`.execute(trx);
  return new Map([...Map.groupBy(rows, (row) => row.deviceNo)].map(([no, list]) => [no, inOrder(list)]));
}

interface RecordedRow {
  readonly deviceNo: number;
  readonly status: BaseStatus;
  readonly checkId: string | null;
  readonly atUs: number;
  readonly isCorrection: boolean;
}

/** Rows come as they were recorded. */
function inOrder(rows: readonly RecordedRow[]): RecordedStatus[] {
  let newest: Point = { startUs: 0, agentNo: 0 };
  const placed = rows.map((row): RecordedStatus => {
    const check = row.checkId === null ? undefined : parseCheckId(row.checkId);
    const cause = check ?? { startUs: row.atUs, agentNo: 0 };
    if (comparePoints(newest, cause) < 0) newest = { startUs: cause.startUs, agentNo: cause.agentNo };
    return { status: row.status, cause: row.isCorrection ? newest : cause };
  });
  return placed.sort((a, b) => comparePoints(a.cause, b.cause));
}
