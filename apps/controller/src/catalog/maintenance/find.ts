import type { Db } from '../../platform/db/index.ts';
import { plannedMaintenance } from './planned.ts';
import { type MaintenanceRow, storedMaintenance, usedSchedules } from './store.ts';

/** All maintenance that runs or is planned, in the order of its begin. */
export async function findMaintenance(
  db: Pick<Db, 'kysely'>,
  ask: Parameters<typeof storedMaintenance>[1],
): Promise<readonly MaintenanceRow[]> {
  const [stored, schedules] = await Promise.all([storedMaintenance(db, ask), usedSchedules(db, ask)]);
  const { maintenanceId } = ask;
  const planned = plannedMaintenance(schedules, ask.nowUs).filter(
    (row) => maintenanceId === undefined || row.maintenance_id === maintenanceId,
  );
  return [...stored, ...planned].sort((a, b) => a.from_us - b.from_us);
}
