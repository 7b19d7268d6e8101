import { invalid } from '@vantage/rest-kit/problem';
import type { Session } from '@vantage/rest-kit/session';
import type { Db } from '@vantage/storage';
import { readFilter } from '../devices/device-list-query.ts';
import { readMaintenance } from '../devices/device-maintenance-routes.ts';
import type { ChangePlan } from './change-plan-store.ts';
import type { AskedChange, DeviceChangeOutcome } from './device-change-fields.ts';
import { deviceNosOf, meantDevices } from './device-change-store.ts';
import type { ReadyChange } from './ready-change.ts';
import { resolveChange } from './resolve-change.ts';

/** The numbers of the devices that a change means, in the order in which they are changed. Throws a Problem (1003). */
export async function devicesOf(
  db: Db,
  accountNo: number,
  { Filter, Delete }: AskedChange,
  nowUs: number,
): Promise<readonly number[]> {
  const { Devices, Status: status, ...others } = Filter;
  const among = Devices === undefined ? undefined : await deviceNosOf(db.kysely, accountNo, Devices);
  const filter = { ...(await readFilter(db, accountNo, others)), statuses: status && [status], among };
  return meantDevices(db.kysely, { accountNo, filter, nowUs, mastersLast: Delete });
}

/**
 * The change with what it names. `token` becomes the id of its maintenance, which all its devices share. Throws a
 * Problem (1004) that names each thing which does not exist.
 */
export async function readyChange(
  db: Db,
  session: Session,
  { token, asked, nowUs }: { readonly token: string; readonly asked: AskedChange; readonly nowUs: number },
): Promise<ReadyChange> {
  const { accountNo } = session;
  const { wanted, locations, faults } = await resolveChange(db.kysely, accountNo, asked);
  if (faults.length > 0) throw invalid(faults);
  const { Maintenance } = asked;
  const maintenance =
    Maintenance == null
      ? Maintenance
      : { ...readMaintenance(Maintenance, session, nowUs, 'Maintenance.Start'), maintenanceId: token };
  return { accountNo, asked, wanted, locations, maintenance };
}

/** The answer about a plan. */
export function outcomeOf(plan: Omit<ChangePlan, 'request'>): DeviceChangeOutcome {
  const { token, matched, changed, refused, state } = plan;
  return {
    Matched: matched,
    Changed: changed,
    Refused: refused,
    Token: token,
    Done: state === 'Done',
  };
}
