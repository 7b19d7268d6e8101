import { type Clock, newId } from '@vantage/kernel';
import type { Db } from '../../platform/db/index.ts';
import { type Route, route } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import type { Catalog, FieldChange } from '../change.ts';
import { changeElsewhere, eachDevice } from '../change-elsewhere.ts';
import {
  type Maintenance,
  maintenanceStart,
  readMaintenance,
  startedField,
  stoppedField,
} from '../devices/maintenance-routes.ts';
import { createTagReader, tagFull, tagSubject } from './routes.ts';
import { deviceNosOf } from './store.ts';

/** Starting and stopping the maintenance of the devices that a tag has at that moment. */
export function tagMaintenanceRoutes({
  db,
  clock,
  catalog,
  maintenance,
}: {
  readonly db: Db;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly maintenance: Maintenance;
}): Route[] {
  const subject = tagSubject(db);
  const read = createTagReader({ db, clock });
  const note = (session: Session, id: string, field: FieldChange) => {
    const change = { action: 'update', kind: 'tag', id, fields: [field] } as const;
    return changeElsewhere({ db, catalog }, session, async () => change);
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
        const nowUs = clock.nowUs();
        const asked = { ...readMaintenance(body, session, nowUs), maintenanceId: newId() };
        await note(session, row.tagId, startedField(asked, session.zone, nowUs));
        await eachDevice(await deviceNosOf(db, row.tagNo), (deviceNo) =>
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
        let ended = 0;
        await eachDevice(await deviceNosOf(db, row.tagNo), async (deviceNo) => {
          ended += await maintenance.stopMaintenance({ accountNo, deviceNo });
        });
        if (ended > 0) await note(session, row.tagId, stoppedField);
        return { body: await read(session, row) };
      },
    }),
  ];
}
