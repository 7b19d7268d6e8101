import { cleanLine } from '@vantage/domain';
import { type FieldFault, isId } from '@vantage/kernel';
import type { Nschedule } from '../../db/entities.ts';
import { readAccount } from '../accounts/store.ts';
import { resolveIdentity, showIdentity } from '../external-key.ts';
import { namedId, referenceFault } from '../external-key-store.ts';
import { createResourceWriter } from '../resource-writer.ts';
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
export const nscheduleWriter = createResourceWriter<Nschedule, NscheduleSettings, SentNschedule>({
  ...{ kind: 'nschedule', what: 'notification schedule' },
  find: findNscheduleEntity,
  insert: insertNschedule,
  update: updateNschedule,
  remove: deleteNschedule,
  users: usersOfNschedule,
  numberOf: ({ nscheduleNo }) => nscheduleNo,
  settingsOf: ({ name, timezone, steps, ...stored }) => {
    return { name, timezone, steps: storedSteps.parse(steps), ...resolveIdentity({}, stored) };
  },
  show: (settings) => {
    const { name, timezone, steps } = settings;
    return { Name: cleanLine(name), Timezone: timezone, Steps: steps, ...showIdentity(settings) };
  },
  async resolve({ trx }, accountNo, sent, current) {
    const { name = '', steps = [] } = current ?? {};
    const isSameName = sent.Name === undefined || (current !== undefined && sent.Name === cleanLine(name));
    const named = sent.Steps && (await withContactIds(trx, accountNo, sent.Steps));
    const own = current !== undefined && sent.Timezone === undefined ? current.timezone : sent.Timezone;
    const settings = {
      name: isSameName ? name : (sent.Name ?? name),
      timezone: own ?? (await readAccount(trx, accountNo)).timezone,
      steps: named === undefined ? steps : named.map(toStored),
      ...resolveIdentity(sent, current),
    };
    return { settings, faults: await contactFaults(trx, accountNo, named ?? []) };
  },
});

type SentStep = NonNullable<SentNschedule['Steps']>[number];

/** The steps with the ids of contacts that were named by key. What nothing has stays, for a fault that repeats it. */
export async function withContactIds(
  trx: Parameters<typeof unknownContacts>[0],
  accountNo: number,
  steps: readonly SentStep[],
): Promise<readonly SentStep[]> {
  const ids = new Map<string, string>();
  for (const text of new Set(steps.flatMap(({ Contacts }) => Contacts)))
    ids.set(text, (await namedId(trx, 'contact', accountNo, text)) ?? text);
  return steps.map((step) => ({ ...step, Contacts: step.Contacts.map((text) => ids.get(text) ?? text) }));
}

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
        : [referenceFault(`Steps.${step}.Contacts.${at}`, 'the id of a contact of this account', id)],
    ),
  );
}
