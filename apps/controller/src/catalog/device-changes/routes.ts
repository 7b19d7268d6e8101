import { z } from 'zod';
import { invalid } from '../../rest/http/problem.ts';
import { noSubject, type Route, route } from '../../rest/http/route.ts';
import type { Level, Session } from '../../rest/http/session.ts';
import type { Maintenance } from '../devices/maintenance-routes.ts';
import type { DeviceRouteDeps } from '../devices/routes.ts';
import { createCarrier, outcomeOf } from './carry-out.ts';
import { deviceChange, deviceChangeOutcome } from './fields.ts';
import { findPlan } from './plan-store.ts';
import { previewChange } from './preview.ts';
import { contradictions } from './resolve.ts';

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
