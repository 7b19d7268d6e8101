import type { Clock } from '@vantage/kernel';
import type { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { showTimes, timeNames } from '../../rest/http/field.ts';
import type { Route } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import type { Catalog } from '../change.ts';
import { resourceRoutes } from '../resource-routes.ts';
import { nscheduleCreate, nscheduleFull, nscheduleUpdate } from './fields.ts';
import { previewRoute } from './preview.ts';
import { listNschedules, type NscheduleRow } from './store.ts';
import { nscheduleWriter, showNschedule } from './write.ts';

const names = {
  tag: 'Notification schedules',
  what: 'notification schedule',
  root: 'nschedule',
  id: 'nschedule_id',
} as const;

const texts = {
  create: {
    summary: 'Creates a notification schedule: who is notified, when and how often.',
    description:
      'Devices, Locations and the account name it as their nschedule_id. A device that names none uses the one of the account.',
  },
  list: { summary: 'Lists notification schedules by name.' },
  read: { summary: 'A notification schedule.' },
  change: {
    summary: 'Changes a notification schedule: what is absent stays.',
    description: 'Steps are replaced whole.',
  },
  remove: {
    summary: 'Deletes a notification schedule that nothing uses.',
    description: '1005 names the devices and Locations that use it, and the account.',
  },
} as const;

/** Creating, listing, reading, changing, deleting and previewing notification schedules. */
export function nscheduleRoutes({
  db,
  catalog,
  clock,
}: {
  readonly db: Db;
  readonly catalog: Catalog;
  readonly clock: Clock;
}): Route[] {
  const resource = resourceRoutes({
    names,
    texts,
    catalog,
    show,
    write: nscheduleWriter,
    create: nscheduleCreate,
    update: nscheduleUpdate,
    full: nscheduleFull,
    readOnly: ['nschedule_id', ...timeNames],
    list: (accountNo, page) => listNschedules(db, accountNo, page),
  });
  return [previewRoute({ db, clock }), ...resource];
}

function show(row: NscheduleRow, { zone }: Session): z.input<typeof nscheduleFull> {
  return { nschedule_id: row.nschedule_id, ...showNschedule(row, {}), ...showTimes(row, zone) };
}
