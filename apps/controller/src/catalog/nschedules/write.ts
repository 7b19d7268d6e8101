import { cleanLine } from '@vantage/domain';
import { type FieldFault, isId, sentFault } from '@vantage/kernel';
import type { Nschedule } from '../../db/entities.ts';
import { readAccount } from '../accounts/store.ts';
import { createScheduleWriter } from '../schedule-writer.ts';
import { type SentNschedule, type StoredSteps, storedSteps } from './fields.ts';
import {
  deleteNschedule,
  findNscheduleEntity,
  insertNschedule,
  type NscheduleSettings,
  unknownContacts,
  updateNschedule,
  usersOfNschedule,
} from './store.ts';

/** Creates, changes and deletes notification schedules. */
export const nscheduleWriter = createScheduleWriter<Nschedule, NscheduleSettings, SentNschedule>({
  ...{ kind: 'nschedule', what: 'notification schedule' },
  find: findNscheduleEntity,
  insert: insertNschedule,
  update: updateNschedule,
  remove: deleteNschedule,
  users: usersOfNschedule,
  numberOf: ({ nscheduleNo }) => nscheduleNo,
  settingsOf: ({ name, timezone, steps, externalKey = null }) => {
    return { name, timezone, steps: storedSteps.parse(steps), externalKey };
  },
  show: ({ name, timezone, steps, externalKey }) => {
    return { Name: cleanLine(name), Timezone: timezone, Steps: steps, ExternalKey: externalKey };
  },
  async resolve({ trx }, accountNo, sent, current) {
    const { name = '', steps = [], externalKey = null } = current ?? {};
    const isSameName = sent.Name === undefined || (current !== undefined && sent.Name === cleanLine(name));
    const own = current !== undefined && sent.Timezone === undefined ? current.timezone : sent.Timezone;
    const settings = {
      name: isSameName ? name : (sent.Name ?? name),
      timezone: own ?? (await readAccount(trx, accountNo)).timezone,
      steps: sent.Steps === undefined ? steps : sent.Steps.map(toStored),
      externalKey: sent.ExternalKey === undefined ? externalKey : sent.ExternalKey,
    };
    return { settings, faults: await contactFaults(trx, accountNo, sent.Steps ?? []) };
  },
});

type SentStep = NonNullable<SentNschedule['Steps']>[number];

/** A step without what is not set, and without repetitions. */
export function toStored(step: SentStep): StoredSteps[number] {
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

/** The contacts of these steps that the account does not have. */
export async function contactFaults(
  trx: Parameters<typeof unknownContacts>[0],
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
