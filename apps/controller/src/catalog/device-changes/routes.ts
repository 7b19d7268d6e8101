import { newId } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Db, Tables } from '../../platform/db/index.ts';
import { conflict, invalid } from '../../rest/http/problem.ts';
import { noSubject, type Route, route } from '../../rest/http/route.ts';
import type { Level, Session } from '../../rest/http/session.ts';
import { actorOf, type ChangeTransaction, type FieldChange } from '../change.ts';
import { readFilter } from '../devices/list-query.ts';
import { type Maintenance, readMaintenance } from '../devices/maintenance-routes.ts';
import type { DeviceRouteDeps } from '../devices/routes.ts';
import { type ApplyDeps, applyChange, type ReadyChange } from './apply.ts';
import { type AskedChange, deviceChange, deviceChangeOutcome, mostRefused, type Outcome } from './fields.ts';
import { judgeAll, judgeDevice, masterOfOthers, type Wanted } from './judge.ts';
import { findPlan, keepPlan, lockPlan, moveOn, type Plan, plannedDevices } from './plan-store.ts';
import { contradictions, resolveWanted } from './resolve.ts';
import {
  countInMaintenance,
  deviceNosOf,
  idsOf,
  keptMasters,
  meantDevices,
  readAlike,
  readCandidates,
} from './store.ts';

/** Changing many devices by one request. */
export function deviceChangeRoutes(given: DeviceRouteDeps & { readonly maintenance: Maintenance }): Route[] {
  const carryOut = createCarrier(given);
  const { db } = given;
  const shared = {
    tag: 'Devices',
    response: deviceChangeOutcome,
    names: { root: 'change' },
  } as const;
  return [
    route({
      ...shared,
      method: 'POST',
      level: 'UO',
      path: '/devices/change',
      summary: 'Changes, tags, maintains or deletes many devices: first a preview, then with its Token.',
      description: `The first request changes nothing. It answers how many devices Filter leaves, how many of them would change and which would be refused, and a Token. The same body with the Token does it: 1005 where Filter leaves other devices by then. What a device refuses only when it is done (a private address at a Location that checks public targets only) is in the answer of the second request. A change that was interrupted goes on with the same request, as long as Done is false; a repetition of one that is done answers the same. With a key that is limited to tags, and in an atomic batch, each request does a part: repeat it until Done is true. GET /device-changes/{change_id} (the Token) shows how far it is. The audit has one entry for all of it. A key of the level UO may send Filter and Maintenance only.`,
      subject: noSubject,
      body: deviceChange,
      levelOf,
      handler: async ({ session, body: { Preview, Token, ...asked }, signal }) => {
        const faults = contradictions(asked);
        if (faults.length > 0) throw invalid(faults);
        if (Token !== undefined && Preview !== true)
          return { body: await carryOut(session, Token, asked, signal) };
        if (Preview === false)
          throw invalid([{ field: 'Token', message: 'of a preview must be sent to change devices' }]);
        return { body: await previewChange(given, session, asked) };
      },
    }),
    route({
      ...shared,
      method: 'GET',
      level: 'UR',
      path: '/device-changes/{change_id}',
      summary: 'How far a change of many devices is.',
      subject: {
        what: 'change of devices' as const,
        find: (session: Session, { change_id = '' }: Readonly<Record<string, string>>) =>
          findPlan(db.kysely, session, change_id),
      },
      handler: async ({ subject }) => ({ body: outcomeOf(subject) }),
    }),
  ];
}

const anyFields = z.record(z.string(), z.unknown());

/** The level that a change needs: maintenance alone is an operator's, as of one device. Pure. */
function levelOf(body: unknown): Level {
  const { Set: set, AddTags, RemoveTags, Delete = false } = anyFields.safeParse(body).data ?? {};
  return [set, AddTags, RemoveTags].some((each) => each !== undefined) || Delete !== false ? 'UW' : 'UO';
}

/** Previews a change: keeps its plan, and answers what would become of its devices. */
async function previewChange(deps: ApplyDeps, session: Session, asked: AskedChange): Promise<Outcome> {
  const { db, catalog, clock } = deps;
  const { kysely } = db;
  const { accountNo } = session;
  const nowUs = clock.nowUs();
  const token = newId();
  const { wanted } = await readyChange(db, session, { token, asked, nowUs });
  const deviceNos = await devicesOf(db, accountNo, asked, nowUs);
  await catalog.add(actorOf(session), (transaction) =>
    keepPlan(transaction, session, { token, request: JSON.stringify(asked), deviceNos }, nowUs),
  );
  const answer = (changed: number, refused: Outcome['Refused']): Outcome => ({
    Matched: deviceNos.length,
    Changed: changed,
    Refused: refused.slice(0, mostRefused),
    Token: token,
    Done: false,
  });
  if (asked.Delete) {
    const kept = await keptMasters(kysely, deviceNos);
    const ids = await idsOf(kysely, [...kept].slice(0, mostRefused));
    return answer(
      deviceNos.length - kept.size,
      ids.map((device_id) => ({ device_id, Reason: masterOfOthers })),
    );
  }
  const { changed, refused } = await judgeMany(kysely, deviceNos, wanted);
  if (asked.Maintenance === undefined) return answer(changed, refused);
  const maintained =
    asked.Maintenance === null
      ? await countInMaintenance(kysely, deviceNos, nowUs)
      : deviceNos.length - refused.length;
  return answer(Math.max(changed, maintained), refused);
}

/**
 * How many of these devices would change, and which would be refused. Only masters of the new master can be refused.
 */
async function judgeMany(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
  wanted: Wanted,
): Promise<{ readonly changed: number; readonly refused: Outcome['Refused'] }> {
  const above = deviceNos.filter((no) => wanted.above.has(no));
  const others = above.length === 0 ? deviceNos : deviceNos.filter((no) => !wanted.above.has(no));
  const judged = judgeAll(await readCandidates(db, above, wanted), wanted);
  let changed = judged.changed.length;
  for (const { devices, ...settings } of await readAlike(db, others, wanted))
    if (judgeDevice({ ...settings, device_no: 0, device_id: '', short_name: '' }, wanted).kind === 'changed')
      changed += devices;
  return { changed, refused: judged.refused };
}

/** Devices of one transaction: others wait for the account's lock while it runs. */
const atOnce = { settings: 500, maintenance: 50 } as const;

/** The numbers of the devices that a change means, in the order in which they are changed. Throws a Problem (1003). */
async function devicesOf(
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
async function readyChange(
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
function outcomeOf(plan: Omit<Plan, 'request'>): Outcome {
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
function createCarrier(deps: ApplyDeps) {
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
