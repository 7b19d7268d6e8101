import { type Clock, isId } from '@vantage/kernel';
import { idField } from '@vantage/rest-kit/field';
import { nextPage, wholeOrPageQuery } from '@vantage/rest-kit/paging';
import { missing } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import type { Reader } from '@vantage/storage';
import { z } from 'zod';
import type { Catalog } from '../../resources/change.ts';
import { actorOf } from '../../resources/change.ts';
import { identityQuery, resolveIdentity } from '../../resources/external-key.ts';
import { accepted } from '../../resources/refusal.ts';
import { locationCreate, locationFull, locationUpdate, readOnly, show } from './location-fields.ts';
import { listLocations } from './location-store.ts';
import { changeLocation, createLocation } from './location-write.ts';
import { removeLocation } from './remove-location.ts';

const tag = 'Locations';

const names = { root: 'location', id: 'location_id' } as const;

const idAnswer = z.strictObject({ location_id: idField });

/** The parts that the routes of Locations need. */
interface LocationRouteDeps {
  readonly catalog: Catalog;
  readonly clock: Clock;
}

/** Creating, listing, reading, changing and deleting Locations. */
export function locationRoutes(deps: LocationRouteDeps): Route[] {
  return [createRoute(deps), listRoute(), ...oneLocationRoutes(deps), removeRoute(deps)];
}

function createRoute({ catalog, clock }: LocationRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/locations',
    level: 'UW',
    tag,
    summary: 'Creates a Location.',
    description:
      'A Location checks devices once it has an agent. The first Location named local gets the devices that name no Locations, while the account has no DefaultLocations.',
    subject: noSubject,
    body: locationCreate,
    readOnly,
    response: idAnswer,
    names,
    handler: async ({ db, session, body }) => {
      const { Name, PublicTargetsOnly, nschedule_id = null, Anchors } = body;
      const given = {
        accountNo: session.accountNo,
        name: Name,
        publicTargetsOnly: PublicTargetsOnly,
        ...resolveIdentity(body, undefined),
        nscheduleId: nschedule_id,
        anchors: Anchors,
        nowUs: clock.nowUs(),
      };
      const made = await catalog.change(db, actorOf(session), (transaction) =>
        createLocation(transaction, given),
      );
      return { body: { location_id: accepted(made).locationId } };
    },
  });
}

function listRoute(): Route {
  return route({
    method: 'GET',
    path: '/locations',
    level: 'UR',
    tag,
    summary: 'Lists Locations by name.',
    subject: noSubject,
    query: z.object({ ...identityQuery, ...wholeOrPageQuery }),
    response: z.array(locationFull),
    names: { root: 'locations', row: 'location', id: 'location_id' },
    handler: async ({ db, session, query: { ExternalKey, Source, Limit, Offset } }) => {
      const page = { externalKey: ExternalKey, source: Source, limit: Limit, offset: Offset };
      const { rows, total } = await listLocations(db, session.accountNo, page);
      return {
        body: rows.map((row) => show(row, session.zone)),
        total,
        next: nextPage(total, { Limit, Offset }),
      };
    },
  });
}

/** The common part of the routes of one Location. */
const oneLocation = {
  path: '/locations/{location_id}',
  tag,
  subject: {
    what: 'Location' as const,
    find: async (
      { accountNo }: Session,
      { location_id: locationId = '' }: Readonly<Record<string, string>>,
      db: Reader,
    ) => {
      if (!isId(locationId)) return undefined;
      const { rows } = await listLocations(db, accountNo, { limit: 1, offset: 0, locationId });
      return rows[0];
    },
  },
  names,
} as const;

function oneLocationRoutes({ catalog, clock }: LocationRouteDeps): Route[] {
  return [
    route({
      ...oneLocation,
      method: 'GET',
      level: 'UR',
      summary: 'A Location, its agents and its load.',
      response: locationFull,
      handler: async ({ session, subject }) => ({ body: show(subject, session.zone) }),
    }),
    route({
      ...oneLocation,
      method: 'PUT',
      level: 'UW',
      summary: 'Changes a Location: what is absent stays.',
      description:
        'PublicTargetsOnly cannot be set while devices of the Location have private addresses (1005). A Location that checks the devices which name no Locations still does so under its new name.',
      body: locationUpdate,
      readOnly,
      response: locationFull,
      handler: async ({ db, session, subject: { location_id: locationId }, body: sent }) => {
        const { accountNo } = session;
        const change = { accountNo, locationId, sent, nowUs: clock.nowUs() };
        accepted(
          await catalog.change(db, actorOf(session), (transaction) => changeLocation(transaction, change)),
        );
        const changed = await oneLocation.subject.find(session, { location_id: locationId }, db);
        if (changed === undefined) throw missing('Location');
        return { body: show(changed, session.zone) };
      },
    }),
  ];
}

function removeRoute({ catalog }: LocationRouteDeps): Route {
  return route({
    ...oneLocation,
    method: 'DELETE',
    level: 'UW',
    summary: 'Deletes a Location that no device and no agent names.',
    description:
      "1005 names the devices and agents that are in the way, and the account's DefaultLocations. Revoked agents count until they are removed. History keeps showing the name.",
    response: idAnswer,
    handler: async ({ db, session, subject: { location_id: locationId } }) => {
      const { accountNo } = session;
      accepted(
        await catalog.change(db, actorOf(session), (transaction) =>
          removeLocation(transaction, { accountNo, locationId }),
        ),
      );
      return { body: { location_id: locationId } };
    },
  });
}
