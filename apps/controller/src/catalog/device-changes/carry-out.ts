import type { Db } from '../../platform/db/index.ts';
import { conflict, invalid } from '../../rest/http/problem.ts';
import type { Session } from '../../rest/http/session.ts';
import type { ChangeTransaction, FieldChange } from '../change.ts';
import { actorOf } from '../change.ts';
import { readFilter } from '../devices/list-query.ts';
import { readMaintenance } from '../devices/maintenance-routes.ts';
import { type ApplyDeps, applyChange, type ReadyChange } from './apply.ts';
import { type AskedChange, mostRefused, type Outcome } from './fields.ts';
import { lockPlan, moveOn, type Plan, plannedDevices } from './plan-store.ts';
import { resolveWanted } from './resolve.ts';
import { deviceNosOf, meantDevices } from './store.ts';

/** Devices of one transaction: others wait for the account's lock while it runs. */
const atOnce = { settings: 500, maintenance: 50 } as const;

/** The numbers of the devices that a change means, in the order in which they are changed. Throws a Problem (1003). */
export async function devicesOf(
  db: Db,
  accountNo: number,
  { Filter, Delete }: AskedChange,
  nowUs: number,
): Promise<readonly number[]> {
  const { Devices, Status: status, ...others } = Filter;
  const among = Devices === undefined ? undefined : await deviceNosOf(db.kysely, accountNo, Devices);
  const filter = { ...(await readFilter(db, accountNo, others)), status, among };
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
  const { wanted, locations, faults } = await resolveWanted(db.kysely, accountNo, asked);
  if (faults.length > 0) throw invalid(faults);
  const { Maintenance } = asked;
  const maintenance =
    Maintenance == null
      ? Maintenance
      : { ...readMaintenance(Maintenance, session, nowUs, 'Maintenance.Start'), maintenanceId: token };
  return { accountNo, asked, wanted, locations, maintenance };
}

/** The answer about a plan. */
export function outcomeOf(plan: Omit<Plan, 'request'>): Outcome {
  const { token, matched, changed, refused, state } = plan;
  return {
    Matched: matched,
    Changed: changed,
    Refused: refused,
    Token: token,
    Done: state === 'Done',
  };
}

/**
 * Creates the function that carries out a previewed change. Each transaction changes some devices and notes how far it
 * came, so that a change goes on where it was interrupted, and requests with the same token share the work. It stops
 * after one part where nobody waits any more, and inside a longer transaction (of a limited caller or an atomic batch),
 * which would lock too much otherwise.
 *
 *   state     | the call with the token
 *   Previewed | 1005 where the devices are others now; else the first part, and the entry in the audit
 *   Running   | the next part, until all are done
 *   Done      | answers what became of it
 */
export function createCarrier(deps: ApplyDeps) {
  const { db } = deps;
  return async (
    session: Session,
    token: string,
    asked: AskedChange,
    signal: AbortSignal,
  ): Promise<Outcome> => {
    for (;;) {
      const outcome = await db.inTransaction(() => carryOn(deps, session, token, asked));
      if (outcome.Done || signal.aborted || db.isInTransaction()) return outcome;
    }
  };
}

async function carryOn(
  deps: ApplyDeps,
  session: Session,
  token: string,
  asked: AskedChange,
): Promise<Outcome> {
  const { db, catalog, clock } = deps;
  const nowUs = clock.nowUs();
  const plan = await catalog.change(actorOf(session), (transaction) =>
    openPlan(deps, transaction, session, { token, asked, nowUs }),
  );
  if (plan.state === 'Done') return outcomeOf(plan);
  const change = await readyChange(db, session, { token, asked, nowUs });
  const size = asked.Maintenance === undefined ? atOnce.settings : atOnce.maintenance;
  const deviceNos = await plannedDevices(db.kysely, token, { from: plan.place, count: size });
  const place = plan.place + deviceNos.length;
  const applied = await applyChange(deps, session, change, deviceNos);
  const next = {
    token,
    place,
    changed: plan.changed + applied.changed,
    refused: [...plan.refused, ...applied.refused].slice(0, mostRefused),
    state: place < plan.matched ? ('Running' as const) : ('Done' as const),
  };
  await catalog.change(actorOf(session), (transaction) => moveOn(transaction, next, nowUs));
  return outcomeOf({ ...next, matched: plan.matched });
}

/** Locks the plan. Throws a Problem (1004) where the token is of no plan of this key or of another change. */
async function openPlan(
  { db }: ApplyDeps,
  transaction: ChangeTransaction,
  session: Session,
  { token, asked, nowUs }: { readonly token: string; readonly asked: AskedChange; readonly nowUs: number },
): Promise<Plan> {
  const plan = await lockPlan(transaction, session, token, nowUs);
  if (plan === undefined)
    throw tokenFault('is not of a preview of this key within the last hour; preview the change again');
  if (plan.request !== JSON.stringify(asked))
    throw tokenFault('is of another change; send the body that was previewed');
  if (plan.state === 'Previewed') await begin(db, transaction, session, plan, { asked, nowUs });
  return plan;
}

/**
 * Throws a Problem (1005) where Filter leaves other devices now. One entry of the audit stands for the whole change.
 */
async function begin(
  db: Db,
  transaction: ChangeTransaction,
  { accountNo }: Session,
  { token, matched }: Plan,
  { asked, nowUs }: { readonly asked: AskedChange; readonly nowUs: number },
): Promise<void> {
  const now = await devicesOf(db, accountNo, asked, nowUs);
  const previewed = await plannedDevices(db.kysely, token, { from: 0, count: matched });
  if (now.length !== matched || now.some((no, at) => no !== previewed[at]))
    throw conflict('Filter leaves other devices than at the preview. Preview the change again.');
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
