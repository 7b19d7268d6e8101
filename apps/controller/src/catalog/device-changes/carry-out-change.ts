import { conflict, invalid } from '@vantage/rest-kit/problem';
import type { Session } from '@vantage/rest-kit/session';
import type { Db } from '@vantage/storage';
import { actorOf, type ChangeTransaction } from '../../resources/change.ts';
import type { FieldChange } from '../../resources/field-changes.ts';
import { applyChange } from './apply-change.ts';
import { type ChangePlan, lockPlan, moveOn, plannedDevices } from './change-plan-store.ts';
import { type AskedChange, type DeviceChangeOutcome, maxRejected } from './device-change-fields.ts';
import { devicesOf, outcomeOf, readyChange } from './prepare-change.ts';
import { atOnce } from './preview-change.ts';
import type { ApplyDeps } from './ready-change.ts';

/**
 * Creates the function that carries out a previewed change. Each transaction changes some devices and stores its
 * progress, so an interrupted change resumes, and requests with the same token share the work. It stops after one part
 * if no caller waits, and inside a longer transaction (of a limited caller or an atomic batch), which would otherwise
 * lock too much.
 *
 *   state     | the call with the token
 *   Previewed | 1005 where the devices are others now; else the first part, and the entry in the audit
 *   Running   | the next part, until all are done
 *   Done      | answers what became of it
 */
export function createCarrier(deps: ApplyDeps) {
  return async (
    db: Db,
    session: Session,
    token: string,
    asked: AskedChange,
    signal: AbortSignal,
  ): Promise<DeviceChangeOutcome> => {
    for (;;) {
      const outcome = await db.inTransaction((open) => carryOn(open, deps, session, token, asked));
      if (outcome.Done || signal.aborted || db.isInTransaction()) return outcome;
    }
  };
}

async function carryOn(
  db: Db,
  deps: ApplyDeps,
  session: Session,
  token: string,
  asked: AskedChange,
): Promise<DeviceChangeOutcome> {
  const { catalog, clock } = deps;
  const nowUs = clock.nowUs();
  const plan = await catalog.change(db, actorOf(session), (transaction) =>
    openPlan(db, transaction, session, { token, asked, nowUs }),
  );
  if (plan.state === 'Done') return outcomeOf(plan);
  const change = await readyChange(db, session, { token, asked, nowUs });
  const size = asked.Maintenance === undefined ? atOnce.settings : atOnce.maintenance;
  const deviceNos = await plannedDevices(db.kysely, token, { from: plan.place, count: size });
  const place = plan.place + deviceNos.length;
  const applied = await applyChange(db, deps, session, change, deviceNos);
  const next = {
    token,
    place,
    changed: plan.changed + applied.changed,
    refused: [...plan.refused, ...applied.refused].slice(0, maxRejected),
    state: place < plan.matched ? ('Running' as const) : ('Done' as const),
  };
  await catalog.change(db, actorOf(session), (transaction) => moveOn(transaction, next, nowUs));
  return outcomeOf({ ...next, matched: plan.matched });
}

/** Locks the plan. Throws a Problem (1004) where the token is of no plan of this key or of another change. */
async function openPlan(
  db: Db,
  transaction: ChangeTransaction,
  session: Session,
  { token, asked, nowUs }: { readonly token: string; readonly asked: AskedChange; readonly nowUs: number },
): Promise<ChangePlan> {
  const plan = await lockPlan(transaction, session, token, nowUs);
  if (plan === undefined)
    throw tokenFault('is not of a preview of this key within the last hour; preview the change again');
  if (plan.request !== JSON.stringify(asked))
    throw tokenFault('is of another change; send the body that was previewed');
  if (plan.state === 'Previewed') await begin(db, transaction, session, plan, { asked, nowUs });
  return plan;
}

/**
 * Throws a Problem (1005) where Filter leaves other devices now. The whole change is one entry of the audit.
 */
async function begin(
  db: Db,
  transaction: ChangeTransaction,
  { accountNo }: Session,
  { token, matched }: ChangePlan,
  { asked, nowUs }: { readonly asked: AskedChange; readonly nowUs: number },
): Promise<void> {
  const now = await devicesOf(db, accountNo, asked, nowUs);
  const previewed = await plannedDevices(db.kysely, token, { from: 0, count: matched });
  if (now.length !== matched || now.some((no, at) => no !== previewed[at]))
    throw conflict(
      'devices_changed',
      'Filter leaves other devices than at the preview. Preview the change again.',
    );
  const { Filter, Set: set, AddTags, RemoveTags, Maintenance, Delete } = asked;
  const parts = { Filter, Set: set, AddTags, RemoveTags, Maintenance, ...(Delete ? { Delete } : {}) };
  const fields: readonly FieldChange[] = [
    { field: 'Devices', old: null, new: matched },
    ...Object.entries(parts)
      .filter(([, value]) => value !== undefined)
      .map(([field, value]) => ({ field, old: null, new: value })),
  ];
  transaction.record({ action: Delete ? 'delete' : 'update', kind: 'devices', accountNo, id: token, fields });
}

function tokenFault(message: string) {
  return invalid([{ field: 'Token', message }]);
}
