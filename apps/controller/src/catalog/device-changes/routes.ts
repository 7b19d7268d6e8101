import { newId } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Tables } from '../../platform/db/index.ts';
import { invalid } from '../../rest/http/problem.ts';
import { noSubject, type Route, route } from '../../rest/http/route.ts';
import type { Level, Session } from '../../rest/http/session.ts';
import { actorOf } from '../change.ts';
import type { Maintenance } from '../devices/maintenance-routes.ts';
import type { DeviceRouteDeps } from '../devices/routes.ts';
import type { ApplyDeps } from './apply.ts';
import { createCarrier, devicesOf, outcomeOf, readyChange } from './carry-out.ts';
import { type AskedChange, deviceChange, deviceChangeOutcome, mostRefused, type Outcome } from './fields.ts';
import { judgeAll, judgeDevice, masterOfOthers, type Wanted } from './judge.ts';
import { findPlan, keepPlan } from './plan-store.ts';
import { contradictions } from './resolve.ts';
import { countInMaintenance, idsOf, keptMasters, readAlike, readCandidates } from './store.ts';

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
        what: 'change of devices',
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
