import { cleanLine } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import type { Mschedule } from '../../db/entities.ts';
import { readAccount } from '../accounts/store.ts';
import type { ChangeTransaction } from '../change.ts';
import { lockAccount } from '../devices/lookup-store.ts';
import { durationText, durationUs } from '../devices/maintenance-routes.ts';
import { keyConflict } from '../external-key.ts';
import { changedFields, createdFields, deletedFields } from '../field-change.ts';
import { type Conflict, type Invalid, limitReached, type Missing, type Refusal } from '../refusal.ts';
import type { SentFields } from '../resource-routes.ts';
import type { SentMschedule } from './fields.ts';
import {
  countMschedules,
  deleteMschedule,
  devicesOfMschedule,
  findMscheduleEntity,
  insertMschedule,
  type MscheduleSettings,
  updateMschedule,
} from './store.ts';

/** Most maintenance schedules of an account. */
const maxSchedules = 200;

/** Creates, changes and deletes maintenance schedules in an open transaction. A refusal names every fault. */
export const mscheduleWriter = {
  create: createMschedule,
  /** What is absent stays. */
  change: changeMschedule,
  /** Refused while devices use the schedule. */
  remove: removeMschedule,
} as const;

async function createMschedule(
  transaction: ChangeTransaction,
  { accountNo, sent }: { readonly accountNo: number; readonly sent: SentFields<SentMschedule> },
): Promise<{ readonly kind: 'created'; readonly id: string } | Conflict | Invalid> {
  await lockAccount(transaction.trx, accountNo);
  if (sent.faults.length > 0) return { kind: 'invalid', faults: sent.faults };
  const settings = await resolve(transaction, accountNo, sent.values, undefined);
  if ((await countMschedules(transaction, accountNo)) >= maxSchedules)
    return limitReached('maintenance schedules', maxSchedules);
  const taken = await keyConflict(transaction.trx, keyed(accountNo), settings.externalKey, undefined);
  if (taken !== undefined) return taken;
  const mscheduleId = newId();
  await insertMschedule(transaction, { mscheduleId, accountNo, ...settings });
  const shown = Object.entries(showMschedule(settings)).filter(([, value]) => value !== null);
  const fields = createdFields(Object.fromEntries(shown));
  transaction.record({ action: 'create', kind: 'mschedule', accountNo, id: mscheduleId, fields });
  return { kind: 'created', id: mscheduleId };
}

async function changeMschedule(
  transaction: ChangeTransaction,
  change: { readonly accountNo: number; readonly id: string; readonly sent: SentFields<SentMschedule> },
): Promise<{ readonly kind: 'changed' } | Refusal> {
  const { accountNo, id, sent } = change;
  await lockAccount(transaction.trx, accountNo);
  const schedule = await findMscheduleEntity(transaction, accountNo, id);
  if (schedule === undefined) return { kind: 'missing', what };
  if (sent.faults.length > 0) return { kind: 'invalid', faults: sent.faults };
  const current = settingsOf(schedule);
  const settings = await resolve(transaction, accountNo, sent.values, current);
  const [before, after] = [showMschedule(current), showMschedule(settings)];
  const names = settable.filter((name) => before[name] !== after[name]);
  if (names.length === 0) return { kind: 'changed' };
  const own = schedule.mscheduleNo;
  const taken = await keyConflict(transaction.trx, keyed(accountNo), settings.externalKey, own);
  if (taken !== undefined) return taken;
  await updateMschedule(transaction, schedule, settings);
  const fields = changedFields(names, before, after);
  transaction.record({ action: 'update', kind: 'mschedule', accountNo, id, fields });
  return { kind: 'changed' };
}

async function removeMschedule(
  transaction: ChangeTransaction,
  { accountNo, id }: { readonly accountNo: number; readonly id: string },
): Promise<{ readonly kind: 'deleted' } | Conflict | Missing> {
  await lockAccount(transaction.trx, accountNo);
  const schedule = await findMscheduleEntity(transaction, accountNo, id);
  if (schedule === undefined) return { kind: 'missing', what };
  const name = cleanLine(schedule.name);
  const devices = await devicesOfMschedule(transaction.trx, accountNo, schedule.mscheduleNo);
  if (devices.length > 0) {
    const shown = devices.slice(0, 10).map(({ short_name, device_id }) => `${short_name} (${device_id})`);
    const users = `${shown.join(', ')}${devices.length > 10 ? ' and others' : ''}`;
    return {
      kind: 'conflict',
      message: `Maintenance schedule ${name} cannot be deleted while these devices use it: ${users}.`,
    };
  }
  await deleteMschedule(transaction, schedule.mscheduleNo);
  const fields = deletedFields({ Name: name });
  transaction.record({ action: 'delete', kind: 'mschedule', accountNo, id, fields });
  return { kind: 'deleted' };
}

const what = 'maintenance schedule';
const keyed = (accountNo: number) => ({ kind: 'mschedule', what, accountNo }) as const;
const settable = [
  ...(['Name', 'Timezone', 'Start', 'Duration', 'Recurrence', 'EndOnFirstOk', 'ExternalKey'] as const),
];

function settingsOf({ recurrence = null, externalKey = null, ...schedule }: Mschedule): MscheduleSettings {
  const { name, timezone, startLocal, durationS, endOnFirstOk } = schedule;
  return { name, timezone, startLocal, durationS, recurrence, endOnFirstOk, externalKey };
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
    ExternalKey: settings.externalKey,
  };
}

/** Lays the sent settings over the current ones. */
async function resolve(
  { trx }: ChangeTransaction,
  accountNo: number,
  sent: SentMschedule,
  current: MscheduleSettings | undefined,
): Promise<MscheduleSettings> {
  const { name = '', startLocal = '', durationS = 0, recurrence = null } = current ?? {};
  const { endOnFirstOk = false, externalKey = null } = current ?? {};
  const isSameName = sent.Name === undefined || (current !== undefined && sent.Name === cleanLine(name));
  const zone = current !== undefined && sent.Timezone === undefined ? current.timezone : sent.Timezone;
  return {
    name: isSameName ? name : (sent.Name ?? name),
    timezone: zone ?? (await readAccount(trx, accountNo)).timezone,
    startLocal: sent.Start ?? startLocal,
    durationS: sent.Duration === undefined ? durationS : durationUs(sent.Duration) / 1_000_000,
    recurrence: sent.Recurrence === undefined ? recurrence : sent.Recurrence,
    endOnFirstOk: sent.EndOnFirstOk === undefined ? endOnFirstOk : (sent.EndOnFirstOk ?? false),
    externalKey: sent.ExternalKey === undefined ? externalKey : sent.ExternalKey,
  };
}
