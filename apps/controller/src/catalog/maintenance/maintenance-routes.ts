import { dayUs } from '@vantage/domain';
import { type Clock, isId } from '@vantage/kernel';
import { idField } from '@vantage/rest-kit/field';
import { deviceQuery, readDeviceNos } from '@vantage/rest-kit/named';
import { nextPage, pageQuery, timestampQuery } from '@vantage/rest-kit/paging';
import { invalid } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import { readSpan } from '@vantage/rest-kit/time-span';
import type { Reader } from '@vantage/storage';
import { z } from 'zod';
import type { Catalog } from '../../resources/change.ts';
import { changeElsewhere, eachDevice } from '../../resources/change-elsewhere.ts';
import type { DeviceMaintenance } from '../devices/device-maintenance-routes.ts';
import {
  devicesOfMaintenance,
  findMaintenance,
  maintenanceRecord,
  showMaintenance,
} from './maintenance-record.ts';

/** The parts that the routes of maintenance need. */
interface MaintenanceListDeps {
  readonly clock: Clock;
  readonly catalog: Catalog;
  readonly maintenance: DeviceMaintenance;
}

/** The past windows of this many days are listed: the weeks of two months. */
const maxPastDays = 62;

const query = z.object({
  Device: deviceQuery('maintenance of these devices only'),
  Timestamp1: timestampQuery(
    `Also maintenance that ended after this moment, at most ${maxPastDays} days before now. Absent: only what runs or is planned.`,
  ),
  Timestamp2: timestampQuery('Maintenance that starts before this moment only.'),
  ...pageQuery,
});

/** Listing, reading and ending maintenance of all kinds. */
export function maintenanceListRoutes(deps: MaintenanceListDeps): Route[] {
  return [listRoute(deps), ...singleRoutes(deps)];
}

function listRoute({ clock }: MaintenanceListDeps): Route {
  return route({
    method: 'GET',
    path: '/maintenance',
    level: 'UR',
    tag: 'Maintenance',
    summary: 'Lists maintenance that runs or is planned, oldest first; on request also past maintenance.',
    description:
      'Of maintenance schedules the windows of the next 62 days, at most 100 of each schedule. A request for a tag, or an occurrence of a schedule, is one maintenance of many devices.',
    subject: noSubject,
    query,
    response: z.array(maintenanceRecord),
    names: { root: 'maintenances', row: 'maintenance', id: 'maintenance_id' },
    handler: async ({ db, session: { accountNo, zone }, query: asked }) => {
      const { Device, Limit, Offset } = asked;
      const nowUs = clock.nowUs();
      const { fromUs, untilUs } = readSpan(asked, zone);
      if (fromUs !== undefined && fromUs < nowUs - maxPastDays * dayUs)
        throw invalid([{ field: 'Timestamp1', message: `must be at most ${maxPastDays} days before now` }]);
      const deviceNos = Device === undefined ? undefined : await readDeviceNos(db, accountNo, Device);
      const ask = { accountNo, nowUs, fromUs, untilUs, deviceNos };
      const rows = await findMaintenance(db, ask);
      return {
        body: rows.slice(Offset, Offset + Limit).map((row) => showMaintenance(row, zone)),
        total: rows.length,
        next: nextPage(rows.length, { Limit, Offset }),
      };
    },
  });
}

function singleRoutes({ clock, catalog, maintenance }: MaintenanceListDeps): Route[] {
  const shared = {
    path: '/maintenance/{maintenance_id}',
    tag: 'Maintenance',
    subject: {
      what: 'maintenance' as const,
      find: async (
        { accountNo }: Session,
        { maintenance_id: id = '' }: Readonly<Record<string, string>>,
        db: Reader,
      ) => {
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
      limitedCallers: 'permitted',
      level: 'UO',
      summary: 'Ends maintenance that runs, or cancels what is planned.',
      description:
        'All of its devices leave it; their other maintenance continues. Of a schedule only this occurrence is cancelled.',
      response: z.strictObject({ maintenance_id: idField }),
      handler: async ({ db, session, subject: row }) => {
        const { accountNo, zone } = session;
        const { maintenance_id: id, from_us: occurrenceUs, plannedBy: mscheduleNo } = row;
        const { Devices: _, ...shown } = showMaintenance(row, zone);
        const fields = Object.entries(shown)
          .filter(([field, value]) => field !== 'maintenance_id' && value !== null)
          .map(([field, old]) => ({ field, old, new: null }));
        await changeElsewhere(db, catalog, session, async (open) => {
          if (mscheduleNo !== undefined)
            await maintenance.cancelOccurrence(open, { mscheduleNo, occurrenceUs });
          return { action: 'delete', kind: 'maintenance', id, fields };
        });
        const live = { accountNo, maintenanceId: id, nowUs: clock.nowUs() };
        await eachDevice(await devicesOfMaintenance(db, live), (deviceNo) =>
          maintenance.stopMaintenance(db, { accountNo, deviceNo, maintenanceId: id }),
        );
        return { body: { maintenance_id: id } };
      },
    }),
  ];
}
