import { cleanLine, dayUs } from '@vantage/domain';
import { nextOccurrences } from '@vantage/health';
import type { FieldFault } from '@vantage/kernel';
import type { Mschedule } from '../../db/entities.ts';
import { readAccount } from '../accounts/store.ts';
import { durationText, durationUs } from '../devices/maintenance-routes.ts';
import { resolveIdentity, showIdentity } from '../external-key.ts';
import { createResourceWriter } from '../resource-writer.ts';
import type { SentMschedule } from './fields.ts';
import {
  deleteMschedule,
  findMscheduleEntity,
  insertMschedule,
  type MscheduleSettings,
  updateMschedule,
  usersOfMschedule,
} from './store.ts';

/** Creates, changes and deletes maintenance schedules. */
export const mscheduleWriter = createResourceWriter<Mschedule, MscheduleSettings, SentMschedule>({
  ...{ kind: 'mschedule', what: 'maintenance schedule' },
  find: findMscheduleEntity,
  insert: insertMschedule,
  update: updateMschedule,
  remove: deleteMschedule,
  users: usersOfMschedule,
  numberOf: ({ mscheduleNo }) => mscheduleNo,
  settingsOf,
  show: showMschedule,
  async resolve({ trx }, accountNo, sent, current) {
    const { name = '', startLocal = '', durationS = 0, recurrence = null } = current ?? {};
    const { endOnFirstOk = false } = current ?? {};
    const isSameName = sent.Name === undefined || (current !== undefined && sent.Name === cleanLine(name));
    const zone = current !== undefined && sent.Timezone === undefined ? current.timezone : sent.Timezone;
    const settings = {
      name: isSameName ? name : (sent.Name ?? name),
      timezone: zone ?? (await readAccount(trx, accountNo)).timezone,
      startLocal: sent.Start ?? startLocal,
      durationS: sent.Duration === undefined ? durationS : durationUs(sent.Duration) / 1_000_000,
      recurrence: sent.Recurrence === undefined ? recurrence : sent.Recurrence,
      endOnFirstOk: sent.EndOnFirstOk === undefined ? endOnFirstOk : (sent.EndOnFirstOk ?? false),
      ...resolveIdentity(sent, current),
    };
    return {
      settings,
      faults: sent.Recurrence == null && sent.Start === undefined ? [] : neverFaults(settings),
    };
  },
});

/** A rule whose days do not exist has no window within 30 years. */
function neverFaults({
  timezone,
  startLocal,
  recurrence,
  durationS,
}: MscheduleSettings): readonly FieldFault[] {
  const startMs = Date.parse(`${startLocal}Z`);
  if (recurrence === null || Number.isNaN(startMs)) return [];
  const schedule = { timezone, startLocal, durationUs: durationS * 1_000_000, recurrence };
  const found = nextOccurrences(schedule, startMs * 1000 - dayUs, 1);
  if (found.some(({ window }) => window !== undefined)) return [];
  return [{ field: 'Recurrence', message: 'never occurs within 30 years of Start; name days that exist' }];
}

function settingsOf({ recurrence = null, ...schedule }: Mschedule): MscheduleSettings {
  const { name, timezone, startLocal, durationS, endOnFirstOk } = schedule;
  return {
    name,
    timezone,
    startLocal,
    durationS,
    recurrence,
    endOnFirstOk,
    ...resolveIdentity({}, schedule),
  };
}

/** The settings as the API shows them. */
export function showMschedule(settings: MscheduleSettings) {
  return {
    Name: cleanLine(settings.name),
    Timezone: settings.timezone,
    Start: settings.startLocal,
    Duration: durationText(settings.durationS),
    Recurrence: settings.recurrence,
    EndOnFirstOk: settings.endOnFirstOk,
    ...showIdentity(settings),
  };
}
