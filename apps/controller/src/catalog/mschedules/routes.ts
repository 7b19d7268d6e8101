import { dayUs, secondUs } from '@vantage/domain';
import { nextOccurrences, type Occurrence } from '@vantage/health';
import { boundedText, type Clock, type FieldFault } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { showTimes, timeNames } from '../../rest/http/field.ts';
import { pageLimit } from '../../rest/http/paging.ts';
import { invalid } from '../../rest/http/problem.ts';
import { noSubject, type Route, route } from '../../rest/http/route.ts';
import type { Session } from '../../rest/http/session.ts';
import { durationText, readDuration } from '../../rest/http/time-span.ts';
import { createZone, timestampProblem, type Zone } from '../../rest/http/zone.ts';
import { readAccount } from '../accounts/store.ts';
import type { Catalog } from '../change.ts';
import { createShow, resolve, type SentOf } from '../field-table.ts';
import { type ResourcePage, resourceRoutes, resourceSubject } from '../resource-routes.ts';
import { createResourceWriter } from '../resource-writer.ts';
import {
  type MscheduleSettings,
  mscheduleCreate,
  mscheduleFull,
  mschedulePreview,
  mscheduleTable,
  mscheduleUpdate,
  previewWindow,
} from './fields.ts';
import {
  deleteMschedule,
  findMschedule,
  insertMschedule,
  listMschedules,
  type MscheduleRow,
  updateMschedule,
  usersOfMschedule,
} from './store.ts';

const names = {
  tag: 'Maintenance schedules',
  what: 'maintenance schedule' as const,
  root: 'mschedule',
  id: 'mschedule_id',
} as const;
/** Windows of a preview. */
const previewed = 10;
const mostPreviewed = 100;
/** A preview begins at most so far from now. */
const farthestUs = 2 * 366 * dayUs;

const previewQuery = z.object({
  From: boundedText(100)
    .optional()
    .describe('The windows that end after this time, within two years from now. Default: now.')
    .meta({ example: '2026-03-01T00:00:00+01:00' }),
  Limit: pageLimit(mostPreviewed, previewed),
});

function readFrom(text: string | undefined, zone: Zone, nowUs: number): number {
  if (text === undefined) return nowUs;
  const fromUs = zone.parse(text) ?? nowUs;
  const isFar = Math.abs(fromUs - nowUs) > farthestUs;
  const problem = timestampProblem(text) ?? (isFar ? 'must lie within two years from now' : undefined);
  if (problem !== undefined) throw invalid([{ field: 'From', message: problem }]);
  return fromUs;
}

const preview = {
  level: 'UR',
  description:
    'Besides the windows, the answer has the times between them that the clocks skip: there is no window then. Note says what a change of the clocks does.',
  response: z.array(previewWindow),
  names: { root: 'windows', row: 'window', id: 'LocalStart' },
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
  db,
  catalog,
  clock,
}: {
  readonly db: Db;
  readonly catalog: Catalog;
  readonly clock: Clock;
}): Route[] {
  const list = (accountNo: number, page: ResourcePage) => listMschedules(db, accountNo, page);
  return [
    ...resourceRoutes({
      names,
      texts,
      catalog,
      list,
      show,
      write: mscheduleWriter,
      create: mscheduleCreate,
      update: mscheduleUpdate,
      full: mscheduleFull,
      readOnly: ['mschedule_id', ...timeNames],
    }),
    route({
      ...resourceSubject({ names, list }),
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

/** The columns that determine the windows of a schedule. */
type WindowRow = Pick<MscheduleRow, 'timezone' | 'start_local' | 'duration_s' | 'recurrence'>;

function windowsOf(
  row: WindowRow,
  zone: Zone,
  fromUs: number,
  most: number,
): z.input<typeof previewWindow>[] {
  const own = createZone(row.timezone);
  const found = nextOccurrences(scheduleOf(row), fromUs, most);
  return found.map((each) => showWindow(each, { row, own, zone }));
}

function show(row: MscheduleRow, { zone }: Session): z.input<typeof mscheduleFull> {
  return { mschedule_id: row.mschedule_id, ...showMschedule(row, {}), ...showTimes(row, zone) };
}

function scheduleOf({ timezone, start_local, duration_s, recurrence }: WindowRow) {
  return { timezone, startLocal: start_local, durationUs: duration_s * secondUs, recurrence };
}

function showWindow(
  occurrence: Occurrence,
  zones: { readonly row: WindowRow; readonly own: Zone; readonly zone: Zone },
): z.input<typeof previewWindow> {
  const { window, startLocal } = occurrence;
  return {
    LocalStart: startLocal,
    Start: window === undefined ? null : zones.zone.format(window.fromUs),
    End: window === undefined ? null : zones.zone.format(window.toUs),
    Note: noteOf(occurrence, zones),
  };
}

function noteOf(
  { startLocal, window, clockChange }: Occurrence,
  { row, own }: { readonly row: WindowRow; readonly own: Zone },
): string | null {
  const [date = '', time = ''] = startLocal.split('T');
  switch (clockChange) {
    case undefined:
      return null;
    case 'skipped':
      return `${time} does not exist on ${date} in ${row.timezone}, because the clocks go forward: there is no window.`;
    case 'repeated':
      return `${time} comes twice on ${date} in ${row.timezone}, because the clocks go back: the window begins at the first one (${own.format(window?.fromUs ?? 0).slice(-6)}).`;
    case 'within':
      return `The clocks change within the window: it lasts ${durationText(row.duration_s)} of elapsed time and ends at ${own.format(window?.toUs ?? 0).slice(11, 16)} local time.`;
  }
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
