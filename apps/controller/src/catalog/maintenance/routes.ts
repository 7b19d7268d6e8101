import { type Clock, isId } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { idField } from '../../rest/http/field.ts';
import { deviceQuery, readDeviceNos } from '../../rest/http/named.ts';
import { nextPage, pageQuery } from '../../rest/http/paging.ts';
import { noSubject, type Route, route } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import type { Catalog } from '../change.ts';
import { changeElsewhere, eachDevice } from '../change-elsewhere.ts';
import type { Maintenance } from '../devices/maintenance-routes.ts';
import { devicesOfMaintenance, findMaintenance, maintenanceRecord, showMaintenance } from './maintenance.ts';

/** The parts that the routes of maintenance need. */
interface MaintenanceListDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly catalog: Catalog;
  readonly maintenance: Maintenance;
}

const query = z.object({
  Device: deviceQuery('maintenance of these devices only'),
  ...pageQuery,
});

/** Listing, reading and ending maintenance of all kinds. */
export function maintenanceListRoutes(deps: MaintenanceListDeps): Route[] {
  return [listRoute(deps), ...singleRoutes(deps)];
}

function listRoute({ db, clock }: MaintenanceListDeps): Route {
  return route({
    method: 'GET',
    path: '/maintenance',
    level: 'UR',
    tag: 'Maintenance',
    summary: 'Lists maintenance that runs or is planned, oldest first.',
    description:
      'Of maintenance schedules the windows of the next 62 days, at most 100 of each schedule. A request for a tag, or an occurrence of a schedule, is one maintenance of many devices.',
    subject: noSubject,
    query,
    response: z.array(maintenanceRecord),
    names: { root: 'maintenances', row: 'maintenance', id: 'maintenance_id' },
    handler: async ({ session: { accountNo, zone }, query: { Device, Limit, Offset } }) => {
      const deviceNos = Device === undefined ? undefined : await readDeviceNos(db, accountNo, Device);
      const ask = { accountNo, nowUs: clock.nowUs(), deviceNos };
      const rows = await findMaintenance(db, ask);
      return {
        body: rows.slice(Offset, Offset + Limit).map((row) => showMaintenance(row, zone)),
        total: rows.length,
        next: nextPage(rows.length, { Limit, Offset }),
      };
    },
  });
}

function singleRoutes({ db, clock, catalog, maintenance }: MaintenanceListDeps): Route[] {
  const shared = {
    path: '/maintenance/{maintenance_id}',
    tag: 'Maintenance',
    subject: {
      what: 'maintenance' as const,
      find: async ({ accountNo }: Session, { maintenance_id: id = '' }: Readonly<Record<string, string>>) => {
        if (!isId(id)) return undefined;
        const found = await findMaintenance(db, { accountNo, nowUs: clock.nowUs(), maintenanceId: id });
        return found[0];
      },
    },
    names: { root: 'maintenance', id: 'maintenance_id' },
  } as const;
  return [
    route({
      ...shared,
      method: 'GET',
      level: 'UR',
      summary: 'Maintenance that runs or is planned.',
      response: maintenanceRecord,
      handler: async ({ session: { zone }, subject }) => ({ body: showMaintenance(subject, zone) }),
    }),
    route({
      ...shared,
      method: 'DELETE',
      level: 'UO',
      summary: 'Ends maintenance that runs, or cancels what is planned.',
      description:
        'All of its devices leave it; other maintenance of them goes on. Of a schedule this one occurrence is cancelled, the others stay.',
      response: z.strictObject({ maintenance_id: idField }),
      handler: async ({ session, subject: row }) => {
        const { accountNo, zone } = session;
        const { maintenance_id: id, from_us: occurrenceUs, plannedBy: mscheduleNo } = row;
        const { Devices: _, ...shown } = showMaintenance(row, zone);
        const fields = Object.entries(shown)
          .filter(([field, value]) => field !== 'maintenance_id' && value !== null)
          .map(([field, old]) => ({ field, old, new: null }));
        await changeElsewhere({ db, catalog }, session, async () => {
          if (mscheduleNo !== undefined) await maintenance.cancelOccurrence({ mscheduleNo, occurrenceUs });
          return { action: 'delete', kind: 'maintenance', id, fields };
        });
        const live = { accountNo, maintenanceId: id, nowUs: clock.nowUs() };
        await eachDevice(await devicesOfMaintenance(db, live), (deviceNo) =>
          maintenance.stopMaintenance({ accountNo, deviceNo, maintenanceId: id }),
        );
        return { body: { maintenance_id: id } };
      },
    }),
  ];
}
