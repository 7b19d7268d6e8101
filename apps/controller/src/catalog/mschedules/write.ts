import { dayUs, secondUs } from '@vantage/domain';
import { nextOccurrences } from '@vantage/health';
import type { FieldFault } from '@vantage/kernel';
import { readAccount } from '../accounts/store.ts';
import { createShow, resolve, type SentOf } from '../field-table.ts';
import { createResourceWriter } from '../resource-writer.ts';
import { type MscheduleSettings, mscheduleTable } from './fields.ts';
import {
  deleteMschedule,
  findMschedule,
  insertMschedule,
  type MscheduleRow,
  updateMschedule,
  usersOfMschedule,
} from './store.ts';

/** Creates, changes and deletes maintenance schedules. */
export const mscheduleWriter = createResourceWriter<
  MscheduleRow,
  MscheduleSettings,
  SentOf<typeof mscheduleTable>
>({
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
export const showMschedule = createShow(mscheduleTable);

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
