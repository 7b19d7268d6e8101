import type { Point } from '@vantage/health';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** A position in a device's order of checks. */
export interface DeviceCheckpoint extends Point {
  readonly deviceNo: number;
}

/** The last checkpoint before each of these points; devices without one start from the beginning. */
export async function checkpointsBefore(
  trx: Kysely<Tables>,
  checkpoints: readonly DeviceCheckpoint[],
): Promise<Map<number, unknown>> {
  if (checkpoints.length === 0) return new Map();
  const { rows } = await sql<{ device_no: number; state: unknown }>`
    select p.device_no, p.state
    from ${pointsTable(checkpoints)} as f (device_no, start_us, agent_no)
    cross join lateral (
      select device_no, state from state_checkpoints
      where device_no = f.device_no and (start_us, agent_no) < (f.start_us, f.agent_no)
      order by start_us desc, agent_no desc limit 1
    ) p`.execute(trx);
  return new Map(rows.map((row) => [row.device_no, row.state]));
}

/** These points as a table of device_no, start_us and agent_no. */
export function pointsTable(checkpoints: readonly DeviceCheckpoint[]) {
  return sql`unnest(${checkpoints.map((p) => p.deviceNo)}::int[], ${checkpoints.map((p) => p.startUs)}::bigint[],
    ${checkpoints.map((p) => p.agentNo)}::int[])`;
}
