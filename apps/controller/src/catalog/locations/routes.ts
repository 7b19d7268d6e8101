import { baseStatuses, cleanLine, storedAnchorReports, storedAnchors } from '@vantage/domain';
import { anchorStatus } from '@vantage/health';
import { type Clock, isId } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { idField, lineField, shownTimes, showTimes, timeNames } from '../../rest/http/field.ts';
import { nextPage, wholeOrPageQuery } from '../../rest/http/paging.ts';
import { missing } from '../../rest/http/problem.ts';
import { noSubject, type Route, route } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import type { Zone } from '../../rest/http/zone.ts';
import type { Catalog } from '../change.ts';
import { actorOf } from '../change.ts';
import {
  identityFields,
  identityQuery,
  referenceField,
  resolveIdentity,
  shownIdentity,
  showRowIdentity,
} from '../external-key.ts';
import { accepted } from '../refusal.ts';
import { anchorsField } from './anchors.ts';
import { type LocationFacts, listLocations } from './store.ts';
import { changeLocation, createLocation, removeLocation } from './write.ts';

const tag = 'Locations';

const locationFull = z
  .strictObject({
    location_id: idField,
    Name: z.string(),
    ExternalKey: shownIdentity.ExternalKey,
    Anchors: storedAnchors.describe('Hosts on the way to the devices, near to far.'),
    AnchorStates: z
      .array(
        z.strictObject({
          Name: z.string().describe('Name of the anchor.').meta({ example: 'gateway' }),
          State: z
            .enum(baseStatuses)
            .describe('Unknown: no connected agent has checked it, or can.')
            .meta({ example: 'Up' }),
          Reason: z
            .string()
            .nullable()
            .describe('Why it is Down or Unknown, as an agent says; null: it is Up, or nobody says why.')
            .meta({ example: null }),
        }),
      )
      .meta({
        description: 'The anchors as the connected agents find them.',
        example: [{ Name: 'gateway', State: 'Up', Reason: null }],
      }),
    nschedule_id: z.string().nullable(),
    PublicTargetsOnly: z.boolean(),
    Online: z.boolean(),
    OfflineReason: z
      .string()
      .nullable()
      .describe('Why it is offline; null when it is online or nobody knows.'),
    Agents: z.strictObject({ Count: z.int(), Connected: z.int() }),
    Load: z
      .strictObject({
        Devices: z.int().meta({ description: 'Devices that it checks.', example: 61 }),
        ChecksPerMinute: z.number().describe('Regular checks that its devices ask for.'),
        Capacity: z.number().describe('Checks a minute that its connected agents can run.'),
      })
      .meta({
        description: 'What the Location has to do.',
        example: { Devices: 61, ChecksPerMinute: 12.2, Capacity: 60000 },
      }),
    Source: shownIdentity.Source,
    ...shownTimes,
  })
  .meta({ id: 'Location' });

const readOnly = [
  'location_id',
  'Online',
  'OfflineReason',
  'Agents',
  'Load',
  'AnchorStates',
  ...timeNames,
] as const;
const names = { root: 'location', id: 'location_id' } as const;
const idAnswer = z.strictObject({ location_id: idField });
const name = lineField(200, 1)
  .describe('Name, one line; unique in the account. History shows a new name too.')
  .meta({ example: 'Oslo' });
const optional = {
  ...identityFields,
  PublicTargetsOnly: z
    .boolean()
    .optional()
    .describe('Devices with private addresses cannot be checked from here; default false.'),
  nschedule_id: referenceField
    .nullable()
    .optional()
    .describe(
      "Notification schedule of the alert that it is offline: its id, or key: and its ExternalKey; null: the account's.",
    ),
  Anchors: anchorsField,
};
const locationCreate = z
  .strictObject({ Name: name, ...optional })
  .meta({ id: 'LocationCreate', description: 'A Location to create.' });
const locationUpdate = z
  .strictObject({ Name: name.optional(), ...optional })
  .meta({ id: 'LocationUpdate', description: 'Changed settings of a Location; what is absent stays.' });

/** The parts that the routes of Locations need. */
interface LocationRouteDeps {
  readonly db: Db;
  readonly catalog: Catalog;
  readonly clock: Clock;
}

/** Creating, listing, reading, changing and deleting Locations. */
export function locationRoutes(deps: LocationRouteDeps): Route[] {
  return [createRoute(deps), listRoute(deps), ...oneLocationRoutes(deps), removeRoute(deps)];
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
    handler: async ({ session, body }) => {
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
      const made = await catalog.change(actorOf(session), (transaction) =>
        createLocation(transaction, given),
      );
      return { body: { location_id: accepted(made).locationId } };
    },
  });
}

function listRoute({ db }: LocationRouteDeps): Route {
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
    handler: async ({ session, query: { ExternalKey, Source, Limit, Offset } }) => {
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
function oneLocation(db: Db) {
  const find = async (
    { accountNo }: Session,
    { location_id: locationId = '' }: Readonly<Record<string, string>>,
  ) => {
    if (!isId(locationId)) return undefined;
    const { rows } = await listLocations(db, accountNo, { limit: 1, offset: 0, locationId });
    return rows[0];
  };
  return {
    path: '/locations/{location_id}',
    tag,
    subject: { what: 'Location' as const, find },
    names,
  } as const;
}

function oneLocationRoutes({ db, catalog, clock }: LocationRouteDeps): Route[] {
  const shared = oneLocation(db);
  return [
    route({
      ...shared,
      method: 'GET',
      level: 'UR',
      summary: 'A Location, its agents and its load.',
      response: locationFull,
      handler: async ({ session, subject }) => ({ body: show(subject, session.zone) }),
    }),
    route({
      ...shared,
      method: 'PUT',
      level: 'UW',
      summary: 'Changes a Location: what is absent stays.',
      description:
        'PublicTargetsOnly cannot be set while devices of the Location have private addresses (1005). A Location that checks the devices which name no Locations goes on to do so under its new name.',
      body: locationUpdate,
      readOnly,
      response: locationFull,
      handler: async ({ session, subject: { location_id: locationId }, body: sent }) => {
        const { accountNo } = session;
        const change = { accountNo, locationId, sent, nowUs: clock.nowUs() };
        accepted(
          await catalog.change(actorOf(session), (transaction) => changeLocation(transaction, change)),
        );
        const changed = await shared.subject.find(session, { location_id: locationId });
        if (changed === undefined) throw missing('Location');
        return { body: show(changed, session.zone) };
      },
    }),
  ];
}

function removeRoute({ db, catalog }: LocationRouteDeps): Route {
  return route({
    ...oneLocation(db),
    method: 'DELETE',
    level: 'UW',
    summary: 'Deletes a Location that no device and no agent names.',
    description:
      "1005 names the devices and agents that are in the way, and the account's DefaultLocations. Revoked agents count until they are removed. History goes on to show the name.",
    response: idAnswer,
    handler: async ({ session, subject: { location_id: locationId } }) => {
      const { accountNo } = session;
      accepted(
        await catalog.change(actorOf(session), (transaction) =>
          removeLocation(transaction, { accountNo, locationId }),
        ),
      );
      return { body: { location_id: locationId } };
    },
  });
}

function show(row: LocationFacts, zone: Zone): z.input<typeof locationFull> {
  const anchors = storedAnchors.safeParse(row.anchors).data ?? [];
  const reports = z.array(storedAnchorReports.catch([])).parse(row.anchor_states);
  return {
    location_id: row.location_id,
    Name: cleanLine(row.name),
    ...showRowIdentity(row),
    Anchors: anchors.map((anchor) => ({ ...anchor, Name: cleanLine(anchor.Name) })),
    AnchorStates: anchors.map((anchor) => {
      const { state, reason } = anchorStatus(anchor, reports);
      const Reason = reason === null ? null : cleanLine(reason);
      return { Name: cleanLine(anchor.Name), State: state, Reason };
    }),
    nschedule_id: row.nschedule_id,
    PublicTargetsOnly: row.public_targets_only,
    Online: row.online,
    OfflineReason: row.online ? null : row.offline_reason,
    Agents: { Count: row.agents, Connected: row.connected },
    Load: {
      Devices: row.devices,
      ChecksPerMinute: Math.round(row.per_minute * 1000) / 1000,
      Capacity: row.capacity,
    },
    ...showTimes(row, zone),
  };
}
