import type { Clock } from '@vantage/kernel';
import { missing } from '@vantage/rest-kit/problem';
import type { Reply } from '@vantage/rest-kit/route';
import type { Session } from '@vantage/rest-kit/session';
import type { Reader } from '@vantage/storage';
import type { z } from 'zod';
import { findMaintenance } from '../maintenance/maintenance-record.ts';
import type { deviceFull } from './device-full.ts';
import { type CheckedRow, completeResults, type DeviceRow, findDevice } from './device-store.ts';
import { currentWarnings } from './device-warnings.ts';
import { showDevice } from './to-rest.ts';

/** Reads one device as its GET shows it; 1003 if it was deleted meanwhile. */
export function createDeviceReader({ clock }: { readonly clock: Clock }) {
  return async (
    db: Reader,
    session: Session,
    deviceNo: number,
    withConfig: boolean,
  ): Promise<Reply<z.input<typeof deviceFull>>> => {
    const nowUs = clock.nowUs();
    const row = await findDevice(db.kysely, { deviceNo }, nowUs);
    if (row === undefined) throw missing('device');
    return showFound(db, session, row, { nowUs, withConfig });
  };
}

export async function showFound(
  db: Reader,
  { accountNo, zone }: Session,
  row: DeviceRow & CheckedRow,
  { nowUs, withConfig }: { readonly nowUs: number; readonly withConfig: boolean },
): Promise<Reply<z.input<typeof deviceFull>>> {
  const [resultOf, maintenance] = await Promise.all([
    completeResults(db, [row], nowUs),
    row.has_maintenance ? findMaintenance(db, { accountNo, nowUs, deviceNos: [row.device_no] }) : [],
  ]);
  return {
    body: showDevice(row, resultOf(row), zone, { withConfig, maintenance }),
    warnings: currentWarnings(row),
  };
}
