import { type Clock, newId } from '@vantage/kernel';
import type { Route } from '@vantage/rest-kit/route';
import { route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import type { Db } from '@vantage/storage';
import type { Catalog } from '../../resources/change.ts';
import { changeElsewhere, eachDevice } from '../../resources/change-elsewhere.ts';
import type { FieldChange } from '../../resources/field-changes.ts';
import {
  type DeviceMaintenance,
  maintenanceStart,
  readMaintenance,
  startedField,
  stoppedField,
} from '../devices/device-maintenance-routes.ts';
import { tagFull } from './tag-fields.ts';
import { createTagReader, tagSubject } from './tag-reader.ts';
import { deviceNosOf } from './tag-store.ts';

/** Starting and stopping the maintenance of the devices that a tag has at that moment. */
export function tagMaintenanceRoutes({
  clock,
  catalog,
  maintenance,
}: {
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly maintenance: DeviceMaintenance;
}): Route[] {
  const read = createTagReader({ clock });
  const note = (db: Db, session: Session, id: string, field: FieldChange) => {
    const change = { action: 'update', kind: 'tag', id, fields: [field] } as const;
    return changeElsewhere(db, catalog, session, async () => change);
  };
  const shared = {
    method: 'PUT',
    level: 'UO',
    tag: 'Maintenance',
    subject: tagSubject,
    response: tagFull,
    names: { root: 'tag', id: 'tag_id' },
    limitedCallers: 'permitted',
  } as const;
  return [
    route({
      ...shared,
      path: '/tags/{tag_id}/start-maintenance',
      summary: "Starts maintenance of the tag's devices of this moment.",
      body: maintenanceStart,
      handler: async ({ db, session, subject: row, body }) => {
        const { accountNo } = session;
        const nowUs = clock.nowUs();
        const asked = { ...readMaintenance(body, session, nowUs), maintenanceId: newId() };
        await note(db, session, row.tagId, startedField(asked, session.zone, nowUs));
        await eachDevice(await deviceNosOf(db, row.tagNo), (deviceNo) =>
          maintenance.startMaintenance(db, { accountNo, deviceNo, ...asked }),
        );
        return { body: await read(db, session, row) };
      },
    }),
    route({
      ...shared,
      path: '/tags/{tag_id}/stop-maintenance',
      summary: "Ends all current maintenance of the tag's devices of this moment.",
      handler: async ({ db, session, subject: row }) => {
        const { accountNo } = session;
        let ended = 0;
        await eachDevice(await deviceNosOf(db, row.tagNo), async (deviceNo) => {
          ended += await maintenance.stopMaintenance(db, { accountNo, deviceNo });
        });
        if (ended > 0) await note(db, session, row.tagId, stoppedField);
        return { body: await read(db, session, row) };
      },
    }),
  ];
}
