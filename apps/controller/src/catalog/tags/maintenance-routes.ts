import type { Clock } from '@vantage/kernel';
import type { Db } from '../../db/index.ts';
import { type Route, route } from '../../http/route.ts';
import { type Maintenance, maintenanceStart, readMaintenance } from '../devices/maintenance-routes.ts';
import { createTagReader, tagFull, tagSubject } from './routes.ts';
import { deviceNosOf } from './store.ts';

/** Devices handled at the same moment. */
const atOnce = 4;

/** Starting and stopping the maintenance of the devices that a tag has at that moment. */
export function tagMaintenanceRoutes({
  db,
  clock,
  maintenance,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly maintenance: Maintenance;
}): Route[] {
  const subject = tagSubject(db);
  const read = createTagReader({ db, clock });
  const forEach = async (tagNo: number, act: (deviceNo: number) => Promise<unknown>) => {
    const waiting = [...(await deviceNosOf(db, tagNo))];
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await act(next);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  };
  const shared = {
    method: 'PUT',
    level: 'UO',
    tag: 'Maintenance',
    subject,
    response: tagFull,
    names: { root: 'tag', id: 'tag_id' },
  } as const;
  return [
    route({
      ...shared,
      path: '/tags/{tag_id}/start-maintenance',
      summary: "Starts maintenance of the tag's devices of this moment.",
      body: maintenanceStart,
      handler: async ({ session, subject: row, body }) => {
        const { accountNo } = session;
        const asked = readMaintenance(body, session.zone, clock.nowUs());
        await forEach(row.tagNo, (deviceNo) =>
          maintenance.startMaintenance({ accountNo, deviceNo, ...asked }),
        );
        return { body: await read(session, row) };
      },
    }),
    route({
      ...shared,
      path: '/tags/{tag_id}/stop-maintenance',
      summary: "Ends all current maintenance of the tag's devices of this moment.",
      handler: async ({ session, subject: row }) => {
        const { accountNo } = session;
        await forEach(row.tagNo, (deviceNo) => maintenance.stopMaintenance({ accountNo, deviceNo }));
        return { body: await read(session, row) };
      },
    }),
  ];
}
