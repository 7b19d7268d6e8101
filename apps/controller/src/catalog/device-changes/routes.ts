import { newId } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../../db/index.ts';
import { invalid } from '../../http/problem.ts';
import { noSubject, type Route, route } from '../../http/route.ts';
import type { Session } from '../../http/session.ts';
import type { Maintenance } from '../devices/maintenance-routes.ts';
import type { DeviceRouteDeps } from '../devices/routes.ts';
import { actorOf } from '../from-rest.ts';
import type { ApplyDeps } from './apply.ts';
import { createCarrier, devicesOf, outcomeOf, readyChange } from './carry-out.ts';
import { type AskedChange, deviceChange, deviceChangeOutcome, mostRefused, type Outcome } from './fields.ts';
import { judgeDevice, masterOfOthers, type Wanted } from './judge.ts';
import { findPlan, keepPlan } from './plan-store.ts';
import { contradictions } from './resolve.ts';
import { countInMaintenance, idsOf, keptMasters, type Reading, readAlike, readCandidates } from './store.ts';

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
      level: 'UW',
      path: '/devices/change',
      summary: 'Changes, tags, maintains or deletes many devices: first a preview, then with its Token.',
      description: `The first request changes nothing. It answers how many devices Filter leaves, how many of them would change and which would be refused, and a Token. The same body with the Token does it: 1005 where Filter leaves other devices by then. What a device refuses only when it is done (a private address at a Location that checks public targets only) is in the answer of the second request. A change that was interrupted goes on with the same request, as long as Done is false; a repetition of one that is done answers the same. With a key that is limited to tags, and in an atomic batch, each request does a part: repeat it until Done is true. GET /device-changes/{change_id} (the Token) shows how far it is. The audit has one entry for all of it.`,
      subject: noSubject,
      body: deviceChange,
      handler: async ({ session, body: { Preview, Token, ...asked }, signal }) => {
        const faults = contradictions(asked);
        if (faults.length > 0) throw invalid(faults);
        if (Token !== undefined && Preview !== true)
          return { body: await carryOut(session, Token, asked, signal) };
        if (Preview === false)
          throw invalid([{ field: 'Token', message: 'of a preview must be sent to change devices' }]);
        return { body: await preview(given, session, asked) };
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

async function preview(deps: ApplyDeps, session: Session, asked: AskedChange): Promise<Outcome> {
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
    ...{ Matched: deviceNos.length, Changed: changed, Refused: refused.slice(0, mostRefused) },
    ...{ Token: token, Done: false },
  });
  if (asked.Delete) {
    const kept = await keptMasters(kysely, deviceNos);
    const ids = await idsOf(kysely, [...kept].slice(0, mostRefused));
    return answer(
      deviceNos.length - kept.size,
      ids.map((device_id) => ({ device_id, Reason: masterOfOthers })),
    );
  }
  const reading = {
    locations: asked.Set?.Locations !== undefined,
    tags: wanted.addTagNos.length + wanted.removeTagNos.length > 0,
  };
  const { changed, refused } = await judgeMany(kysely, deviceNos, wanted, reading);
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
  reading: Reading,
): Promise<{ readonly changed: number; readonly refused: Outcome['Refused'] }> {
  const above = deviceNos.filter((no) => wanted.above.has(no));
  const others = above.length === 0 ? deviceNos : deviceNos.filter((no) => !wanted.above.has(no));
  let changed = 0;
  const refused: Outcome['Refused'] = [];
  for (const { devices, ...settings } of await readAlike(db, others, reading))
    if (judgeDevice({ ...settings, device_no: 0, device_id: '', short_name: '' }, wanted).kind === 'changed')
      changed += devices;
  for (const device of await readCandidates(db, above, reading)) {
    const to = judgeDevice(device, wanted);
    if (to.kind === 'changed') changed += 1;
    if (to.kind === 'refused') refused.push({ device_id: device.device_id, Reason: to.reason });
  }
  return { changed, refused };
}
