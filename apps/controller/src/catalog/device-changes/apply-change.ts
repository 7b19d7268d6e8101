import { faultSentence } from '@vantage/kernel';
import { scopeProblem } from '@vantage/rest-kit/limited-callers';
import type { Problem } from '@vantage/rest-kit/problem';
import type { Session } from '@vantage/rest-kit/session';
import { type Db, type Reader, ScopeRefusal } from '@vantage/storage';
import { actorOf } from '../../resources/change.ts';
import type { DeviceChangeOutcome } from './device-change-fields.ts';
import { idsOf } from './device-change-store.ts';
import type { ApplyDeps, ReadyChange } from './ready-change.ts';
import { maintain, writeAll } from './write-devices.ts';

/** The outcome for some devices. */
interface Applied {
  readonly changed: number;
  readonly refused: DeviceChangeOutcome['Refused'];
}

/**
 * Applies the change to these devices, in one transaction or a part of the open one. Devices that were deleted
 * meanwhile are left out, and those that a limited caller may not change so are refused one by one.
 */
export async function applyChange(
  db: Db,
  deps: ApplyDeps,
  session: Session,
  change: ReadyChange,
  deviceNos: readonly number[],
): Promise<Applied> {
  const { scope } = session;
  const work = (open: Db) => applyToAll(open, deps, session, change, deviceNos);
  try {
    return await (scope === undefined ? db.inTransaction(work) : db.inScope(scope, work));
  } catch (error) {
    if (!(error instanceof ScopeRefusal)) throw error;
    const middle = Math.floor(deviceNos.length / 2);
    if (middle === 0)
      return { changed: 0, refused: await refusedBy(db, deviceNos, scopeProblem(error.reason)) };
    const first = await applyChange(db, deps, session, change, deviceNos.slice(0, middle));
    const second = await applyChange(db, deps, session, change, deviceNos.slice(middle));
    return { changed: first.changed + second.changed, refused: [...first.refused, ...second.refused] };
  }
}

async function refusedBy(
  { kysely }: Reader,
  deviceNos: readonly number[],
  { message, errors }: Problem,
): Promise<DeviceChangeOutcome['Refused']> {
  const Reason = errors?.map(faultSentence).join(' ') ?? message;
  return (await idsOf(kysely, deviceNos)).map((device_id) => ({ device_id, Reason }));
}

async function applyToAll(
  db: Db,
  deps: ApplyDeps,
  session: Session,
  change: ReadyChange,
  deviceNos: readonly number[],
): Promise<Applied> {
  const written = await deps.catalog.change(db, actorOf(session), (transaction) =>
    writeAll(deps, transaction, change, deviceNos),
  );
  // Maintenance has its own part of the transaction, after that of the catalog.
  const ids = new Set(written.changed);
  for (const deviceNo of written.others) if (await maintain(db, deps, change, deviceNo)) ids.add(deviceNo);
  return { changed: ids.size, refused: written.refused };
}
