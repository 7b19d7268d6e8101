import { dayUs, secondUs } from '@vantage/domain';
import { nextOccurrences } from '@vantage/health';
import type { Clock, FieldFault } from '@vantage/kernel';
import { showTimes, timeNames } from '@vantage/rest-kit/field';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import { readDuration } from '@vantage/rest-kit/time-span';
import type { z } from 'zod';
import { readAccount } from '../../access/accounts/account-store.ts';
import type { Catalog } from '../../resources/change.ts';
import { createShow, resolve, type SentOf } from '../../resources/field-table.ts';
import { resourceRoutes, resourceSubject } from '../../resources/resource-routes.ts';
import { createResourceWriter } from '../../resources/resource-writer.ts';
import { preview, previewed, previewQuery, readFrom, windowsOf } from './maintenance-preview.ts';
import {
  type MscheduleSettings,
  mscheduleCreate,
  mscheduleFull,
  mschedulePreview,
  mscheduleTable,
  mscheduleUpdate,
} from './maintenance-schedule-fields.ts';
import {
  deleteMschedule,
  findMschedule,
  insertMschedule,
  listMschedules,
  type MscheduleRow,
  updateMschedule,
  usersOfMschedule,
} from './maintenance-schedule-store.ts';

const names = {
  tag: 'Maintenance schedules',
  what: 'maintenance schedule' as const,
  root: 'mschedule',
  id: 'mschedule_id',
} as const;

const texts = {
  create: {
    summary: 'Creates a maintenance schedule: maintenance windows that recur.',
    description:
      'Devices name it as their mschedule_id. `GET /mschedules/{mschedule_id}/preview` shows the windows.',
  },
  list: { summary: 'Lists maintenance schedules by name.' },
  read: { summary: 'A maintenance schedule.' },
  change: { summary: 'Changes a maintenance schedule: what is absent stays.' },
  remove: {
    summary: 'Deletes a maintenance schedule that no device uses.',
    description: '1005 names the devices that use it.',
  },
} as const;

/** Creating, listing, reading, changing, deleting and previewing maintenance schedules. */
export function mscheduleRoutes({
  catalog,
  clock,
}: {
  readonly catalog: Catalog;
  readonly clock: Clock;
}): Route[] {
  return [
    ...resourceRoutes({
      names,
      texts,
      catalog,
      list: listMschedules,
      show,
      write: mscheduleWriter,
      create: mscheduleCreate,
      update: mscheduleUpdate,
      full: mscheduleFull,
      readOnly: ['mschedule_id', ...timeNames],
    }),
    route({
      ...resourceSubject({ names, list: listMschedules }),
      ...preview,
      path: '/mschedules/{mschedule_id}/preview',
      method: 'GET',
      summary: 'The next ten windows of a maintenance schedule, or more, or those from another time on.',
      query: previewQuery,
      handler: async ({ session: { zone }, subject: { row }, query: { From, Limit } }) => {
        const fromUs = readFrom(From, zone, clock.nowUs());
        return { body: windowsOf(row, zone, fromUs, Limit) };
      },
    }),
    route({
      ...preview,
      path: '/mschedules/preview',
      limitedCallers: 'permitted',
      method: 'POST',
      tag: names.tag,
      summary: 'The next ten windows of a maintenance schedule that is not stored.',
      subject: noSubject,
      body: mschedulePreview,
      handler: async ({ session: { zone }, body }) => {
        const { Timezone, Start: start_local, Duration, Recurrence } = body;
        const row = {
          timezone: Timezone ?? zone.name,
          start_local,
          duration_s: readDuration(Duration) / secondUs,
          recurrence: Recurrence ?? null,
        };
        return { body: windowsOf(row, zone, clock.nowUs(), previewed) };
      },
    }),
  ];
}

function show(row: MscheduleRow, { zone }: Session): z.input<typeof mscheduleFull> {
  return { mschedule_id: row.mschedule_id, ...showMschedule(row, {}), ...showTimes(row, zone) };
}

/** Creates, changes and deletes maintenance schedules. */
const mscheduleWriter = createResourceWriter<MscheduleRow, MscheduleSettings, SentOf<typeof mscheduleTable>>({
  kind: 'mschedule',
  what: 'maintenance schedule',
  find: findMschedule,
  insert: insertMschedule,
  update: updateMschedule,
  remove: deleteMschedule,
  users: usersOfMschedule,
  numberOf: ({ mschedule_no }) => mschedule_no,
  settingsOf: (row) => row,
  show: (settings) => showMschedule(settings, {}),
  async resolve({ trx }, accountNo, sent, current) {
    const laid = resolve(mscheduleTable, sent, current);
    const timezone = laid.timezone || (await readAccount(trx, accountNo)).timezone;
    const settings = { ...laid, timezone };
    return {
      settings,
      faults: sent.Recurrence == null && sent.Start === undefined ? [] : neverFaults(settings),
    };
  },
});

/** Shows the settings as the API does. */
const showMschedule = createShow(mscheduleTable);

/** A rule whose days do not exist has no window within 30 years. */
function neverFaults(settings: MscheduleSettings): readonly FieldFault[] {
  const { timezone, start_local: startLocal, recurrence, duration_s } = settings;
  const startMs = Date.parse(`${startLocal}Z`);
  if (recurrence === null || Number.isNaN(startMs)) return [];
  const schedule = { timezone, startLocal, durationUs: duration_s * secondUs, recurrence };
  const found = nextOccurrences(schedule, startMs * 1000 - dayUs, 1);
  if (found.some(({ window }) => window !== undefined)) return [];
  return [{ field: 'Recurrence', message: 'never occurs within 30 years of Start; name days that exist' }];
}
