import { dayUs } from '@vantage/domain';
import type { Point } from '@vantage/health';
import { startOfDay, type Tables } from '@vantage/storage';
import {
  mayBePacked,
  mergeChecks,
  type PackedCheck,
  packedChecksSince,
  packedSpans,
} from '@vantage/storage/packed';
import { type Kysely, sql } from 'kysely';
import type { DeviceCheckpoint } from './checkpoint-store.ts';
import { pointsTable } from './checkpoint-store.ts';
import type { StoredCheck } from './fold-store.ts';

/** All checks of these devices from these points on, packed ones too. The caller holds the devices' locks. */
export async function checksFrom(
  trx: Kysely<Tables>,
  from: readonly DeviceCheckpoint[],
  nowUs: number,
): Promise<Map<number, StoredCheck[]>> {
  const { rows } = await sql<StoredCheck>`
    select c.device_no, c.start_us, c.agent_no, c.location_no, c.end_us, c.arrived_us, c.revision, c.attempt, c.code,
      c.check_result, c.retry_id, c.run_request_id, c.behind_anchor
    from ${pointsTable(from)} as f (device_no, start_us, agent_no)
    cross join lateral (
      select * from checks where device_no = f.device_no and (start_us, agent_no) >= (f.start_us, f.agent_no)
        and start_us >= f.start_us
    ) c`.execute(trx);
  const old = from.filter(({ startUs }) => mayBePacked(startUs, nowUs));
  const packed = old.length === 0 ? [] : await packedChecksSince(trx, old);
  const rowsOf = Map.groupBy(rows, (row) => row.device_no);
  for (const [deviceNo, checks] of Map.groupBy(packed, (check) => check.device_no)) {
    const isAfter = (check: PackedCheck) =>
      old.some((point) => point.deviceNo === deviceNo && compareChecks(check, point) >= 0);
    rowsOf.set(deviceNo, mergeChecks<StoredCheck>(rowsOf.get(deviceNo) ?? [], checks.filter(isAfter)));
  }
  return rowsOf;
}

function compareChecks(check: StoredCheck, { startUs, agentNo }: Point): number {
  return check.start_us - startUs || check.agent_no - agentNo;
}

/**
 * The newest checks of a device from this point on and after its last packed day, under settings that still count; at
 * most `limit`. Packed days are left out, because their server may be away; a fold without them would miss good checks
 * between bad ones, so it begins after them.
 */
export async function newestChecks(
  trx: Kysely<Tables>,
  from: DeviceCheckpoint,
  revision: number,
  limit: number,
): Promise<StoredCheck[]> {
  const packed = (await packedSpans(trx, [from.deviceNo])).get(from.deviceNo);
  const unpackedUs = packed === undefined ? 0 : startOfDay(packed.lastUs) + dayUs;
  return (
    trx
      .selectFrom('checks')
      .select(['device_no', 'start_us', 'agent_no', 'location_no', 'end_us', 'arrived_us', 'revision'])
      .select(['attempt', 'code', 'check_result', 'retry_id', 'run_request_id', 'behind_anchor'])
      .where('device_no', '=', from.deviceNo)
      .where('start_us', '>=', Math.max(from.startUs, unpackedUs))
      // A paused device has one that no check reaches; it is no int.
      .where(sql<boolean>`revision >= ${revision}::bigint`)
      .orderBy('start_us', 'desc')
      .orderBy('agent_no', 'desc')
      .limit(limit)
      .execute()
  );
}
