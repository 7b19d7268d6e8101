import { invalid } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Level, Session } from '@vantage/rest-kit/session';
import type { Reader } from '@vantage/storage';
import { z } from 'zod';
import type { DeviceMaintenance } from '../devices/device-maintenance-routes.ts';
import type { DeviceRouteDeps } from '../devices/device-routes.ts';
import { createCarrier } from './carry-out-change.ts';
import { findPlan } from './change-plan-store.ts';
import { deviceChange, deviceChangeOutcome } from './device-change-fields.ts';
import { outcomeOf } from './prepare-change.ts';
import { previewChange } from './preview-change.ts';
import { contradictions } from './resolve-change.ts';

/** Changing many devices by one request. */
export function deviceChangeRoutes(
  given: DeviceRouteDeps & { readonly maintenance: DeviceMaintenance },
): Route[] {
  const carryOut = createCarrier(given);
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
      limitedCallers: 'permitted',
      summary: 'Changes, tags, maintains or deletes many devices: first a preview, then with its Token.',
      description: `The first request changes nothing. It answers how many devices Filter leaves, how many of them would change and which would be refused, and a Token. The same body with the Token does it: 1005 where Filter leaves other devices by then. A refusal that only the change itself finds (a private address at a Location that checks public targets only) is in the answer of the second request. An interrupted change continues with the same request as long as Done is false; once it is done, a repetition has the same answer. With a key that is limited to tags, and in an atomic batch, each request does a part: repeat it until Done is true. GET /device-changes/{change_id} (the Token) shows how far it is. The audit has one entry for all of it. A key of the level UO may send Filter and Maintenance only.`,
      subject: noSubject,
      body: deviceChange,
      levelOf,
      handler: async ({ db, session, body: { Preview, Token, ...asked }, signal }) => {
        const faults = contradictions(asked);
        if (faults.length > 0) throw invalid(faults);
        if (Token !== undefined && Preview !== true)
          return { body: await carryOut(db, session, Token, asked, signal) };
        if (Preview === false)
          throw invalid([{ field: 'Token', message: 'of a preview must be sent to change devices' }]);
        return { body: await previewChange(db, given, session, asked) };
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
        find: (session: Session, { change_id = '' }: Readonly<Record<string, string>>, { kysely }: Reader) =>
          findPlan(kysely, session, change_id),
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
