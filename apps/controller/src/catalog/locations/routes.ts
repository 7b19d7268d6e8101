import { cleanLine } from '@vantage/domain';
import { isId } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../db/index.ts';
import { idField } from '../../http/field.ts';
import { nextPage, wholeOrPageQuery } from '../../http/paging.ts';
import { noSubject, type Route, route } from '../../http/route.ts';
import { externalKeyQuery } from '../external-key.ts';
import { type LocationFacts, listLocations } from './store.ts';

const tag = 'Locations';

const anchors = z.array(z.object({ Name: z.string(), Target: z.string(), Networks: z.array(z.string()) }));
const locationFull = z
  .strictObject({
    location_id: idField,
    Name: z.string(),
    ExternalKey: z.string().nullable(),
    Anchors: anchors.describe('Near to far: targets that distinguish a dead uplink from dead devices.'),
    nschedule_id: z.string().nullable(),
    PublicTargetsOnly: z.boolean(),
    Online: z.boolean(),
    OfflineReason: z
      .string()
      .nullable()
      .describe('Why it is offline; null when it is online or nobody knows.'),
    Agents: z.strictObject({ Count: z.int(), Connected: z.int() }),
    Load: z.strictObject({
      Devices: z.int(),
      ChecksPerMinute: z.number().describe('Regular checks that its devices ask for.'),
      Capacity: z.number().describe('Checks a minute that its connected agents can run.'),
    }),
  })
  .meta({ id: 'Location' });

/** Listing and reading Locations. */
export function locationRoutes(db: Db): Route[] {
  return [
    route({
      method: 'GET',
      path: '/locations',
      level: 'UR',
      tag,
      summary: 'Lists Locations by name.',
      subject: noSubject,
      query: z.object({ ExternalKey: externalKeyQuery, ...wholeOrPageQuery }),
      response: z.array(locationFull),
      names: { root: 'locations', row: 'location', id: 'location_id' },
      handler: async ({ session, query: { ExternalKey, Limit, Offset } }) => {
        const page = { externalKey: ExternalKey, limit: Limit, offset: Offset };
        const { rows, total } = await listLocations(db, session.accountNo, page);
        return { body: rows.map(show), total, next: nextPage(total, { Limit, Offset }) };
      },
    }),
    route({
      method: 'GET',
      path: '/locations/{location_id}',
      level: 'UR',
      tag,
      summary: 'A Location, its agents and its load.',
      subject: {
        what: 'Location',
        find: async ({ accountNo }, { location_id: locationId = '' }) => {
          if (!isId(locationId)) return undefined;
          const { rows } = await listLocations(db, accountNo, { limit: 1, offset: 0, locationId });
          return rows[0];
        },
      },
      response: locationFull,
      names: { root: 'location', id: 'location_id' },
      handler: async ({ subject }) => ({ body: show(subject) }),
    }),
  ];
}

function show(row: LocationFacts): z.input<typeof locationFull> {
  const known = anchors.safeParse(row.anchors);
  return {
    location_id: row.location_id,
    Name: cleanLine(row.name),
    ExternalKey: row.external_key,
    Anchors: known.success ? known.data : [],
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
  };
}
