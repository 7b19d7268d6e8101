import { isDeepStrictEqual } from 'node:util';
import { cleanLine } from '@vantage/domain';
import { type FieldFault, isId, newId, sentFault } from '@vantage/kernel';
import type { Nschedule } from '../../db/entities.ts';
import { readAccount } from '../accounts/store.ts';
import type { ChangeTransaction } from '../change.ts';
import { lockAccount } from '../devices/lookup-store.ts';
import { keyConflict } from '../external-key.ts';
import { changedFields, createdFields, deletedFields } from '../field-change.ts';
import {
  type Conflict,
  type Invalid,
  joinFaults,
  limitReached,
  type Missing,
  type Refusal,
} from '../refusal.ts';
import type { SentFields } from '../resource-routes.ts';
import { type SentNschedule, type StoredSteps, storedSteps } from './fields.ts';
import {
  countNschedules,
  deleteNschedule,
  findNscheduleEntity,
  insertNschedule,
  unknownContacts,
  updateNschedule,
  usersOfNschedule,
} from './store.ts';

/** Most notification schedules of an account. */
const maxSchedules = 200;

/** Creates, changes and deletes notification schedules in an open transaction. A refusal names every fault. */
export const nscheduleWriter = {
  create: createNschedule,
  /** What is absent stays. */
  change: changeNschedule,
  /** Refused while devices, Locations or the account use the schedule. */
  remove: removeNschedule,
} as const;

async function createNschedule(
  transaction: ChangeTransaction,
  { accountNo, sent }: { readonly accountNo: number; readonly sent: SentFields<SentNschedule> },
): Promise<
  { readonly kind: 'created'; readonly id: string; readonly nscheduleNo: number } | Conflict | Invalid
> {
  await lockAccount(transaction.trx, accountNo);
  const { settings, faults } = await resolve(transaction, accountNo, sent, undefined);
  if (faults.length > 0) return { kind: 'invalid', faults };
  if ((await countNschedules(transaction, accountNo)) >= maxSchedules)
    return limitReached('notification schedules', maxSchedules);
  const taken = await keyConflict(transaction.trx, keyed(accountNo), settings.externalKey, undefined);
  if (taken !== undefined) return taken;
  const nscheduleId = newId();
  const nscheduleNo = await insertNschedule(transaction, { nscheduleId, accountNo, ...settings });
  const shown = Object.entries(show(settings)).filter(([, value]) => value !== null);
  const fields = createdFields(Object.fromEntries(shown));
  transaction.record({ action: 'create', kind: 'nschedule', accountNo, id: nscheduleId, fields });
  return { kind: 'created', id: nscheduleId, nscheduleNo };
}

async function changeNschedule(
  transaction: ChangeTransaction,
  change: { readonly accountNo: number; readonly id: string; readonly sent: SentFields<SentNschedule> },
): Promise<{ readonly kind: 'changed' } | Refusal> {
  const { accountNo, id, sent } = change;
  await lockAccount(transaction.trx, accountNo);
  const schedule = await findNscheduleEntity(transaction, accountNo, id);
  if (schedule === undefined) return { kind: 'missing', what };
  const current = settingsOf(schedule);
  const { settings, faults } = await resolve(transaction, accountNo, sent, current);
  if (faults.length > 0) return { kind: 'invalid', faults };
  const [before, after] = [show(current), show(settings)];
  const names = (['Name', 'Timezone', 'Steps', 'ExternalKey'] as const).filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );
  if (names.length === 0) return { kind: 'changed' };
  const taken = await keyConflict(
    transaction.trx,
    keyed(accountNo),
    settings.externalKey,
    schedule.nscheduleNo,
  );
  if (taken !== undefined) return taken;
  await updateNschedule(transaction, schedule, settings);
  const fields = changedFields(names, before, after);
  transaction.record({ action: 'update', kind: 'nschedule', accountNo, id, fields });
  return { kind: 'changed' };
}

async function removeNschedule(
  transaction: ChangeTransaction,
  { accountNo, id }: { readonly accountNo: number; readonly id: string },
): Promise<{ readonly kind: 'deleted' } | Conflict | Missing> {
  await lockAccount(transaction.trx, accountNo);
  const schedule = await findNscheduleEntity(transaction, accountNo, id);
  if (schedule === undefined) return { kind: 'missing', what };
  const name = cleanLine(schedule.name);
  const { texts, hasMore } = await usersOfNschedule(transaction.trx, accountNo, schedule.nscheduleNo);
  if (texts.length > 0) {
    const users = `${texts.map(cleanLine).join(', ')}${hasMore ? ' and others' : ''}`;
    return {
      kind: 'conflict',
      message: `Notification schedule ${name} cannot be deleted while these use it: ${users}.`,
    };
  }
  await deleteNschedule(transaction, schedule.nscheduleNo);
  const fields = deletedFields({ Name: name });
  transaction.record({ action: 'delete', kind: 'nschedule', accountNo, id, fields });
  return { kind: 'deleted' };
}

const what = 'notification schedule';
const keyed = (accountNo: number) => ({ kind: 'nschedule', what, accountNo }) as const;

interface Settings {
  readonly name: string;
  readonly timezone: string;
  readonly steps: StoredSteps;
  readonly externalKey: string | null;
}

function settingsOf({ name, timezone, steps, externalKey = null }: Nschedule): Settings {
  return { name, timezone, steps: storedSteps.parse(steps), externalKey };
}

function show({ name, timezone, steps, externalKey }: Settings) {
  return { Name: cleanLine(name), Timezone: timezone, Steps: steps, ExternalKey: externalKey };
}

/** Lays the sent settings over the current ones, with the faults of both. */
async function resolve(
  { trx }: ChangeTransaction,
  accountNo: number,
  { values, faults }: SentFields<SentNschedule>,
  current: Settings | undefined,
): Promise<{ readonly settings: Settings; readonly faults: readonly FieldFault[] }> {
  const { name = '', steps = [], externalKey = null } = current ?? {};
  const isSameName = values.Name === undefined || (current !== undefined && values.Name === cleanLine(name));
  const own = current !== undefined && values.Timezone === undefined ? current.timezone : values.Timezone;
  const settings = {
    name: isSameName ? name : (values.Name ?? name),
    timezone: own ?? (await readAccount(trx, accountNo)).timezone,
    steps: values.Steps === undefined ? steps : values.Steps.map(toStored),
    externalKey: values.ExternalKey === undefined ? externalKey : values.ExternalKey,
  };
  const unknown = await contactFaults(trx, accountNo, values.Steps ?? []);
  return { settings, faults: joinFaults(faults, unknown) };
}

type SentStep = NonNullable<SentNschedule['Steps']>[number];

/** A step without what is not set, and without repetitions. */
function toStored(step: SentStep): StoredSteps[number] {
  const { DelayMinutes, Contacts, Days, From, To, RepeatMinutes, Severities } = step;
  return {
    DelayMinutes,
    Contacts: [...new Set(Contacts)],
    ...(Days == null ? {} : { Days: [...new Set(Days)] }),
    ...(From == null ? {} : { From }),
    ...(To == null ? {} : { To }),
    ...(RepeatMinutes == null ? {} : { RepeatMinutes }),
    ...(Severities == null ? {} : { Severities: [...new Set(Severities)] }),
  };
}

async function contactFaults(
  trx: ChangeTransaction['trx'],
  accountNo: number,
  steps: readonly SentStep[],
): Promise<readonly FieldFault[]> {
  const named = steps.flatMap(({ Contacts }) => Contacts);
  if (named.length === 0) return [];
  const unknown = await unknownContacts(trx, accountNo, [...new Set(named.filter(isId))]);
  return steps.flatMap(({ Contacts }, step) =>
    Contacts.flatMap((id, at) =>
      isId(id) && !unknown.has(id)
        ? []
        : [sentFault(`Steps.${step}.Contacts.${at}`, 'the id of a contact of this account', id)],
    ),
  );
}
