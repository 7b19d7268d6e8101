import { type FieldFault, isId } from '@vantage/kernel';
import { readAccount } from '../../access/accounts/account-store.ts';
import { namedId, referenceFault } from '../../resources/external-key.ts';
import { createShow, resolve, type SentOf } from '../../resources/field-table.ts';
import { createResourceWriter } from '../../resources/resource-writer.ts';
import { type NscheduleSettings, nscheduleTable } from './schedule-fields.ts';
import {
  deleteNschedule,
  findNschedule,
  insertNschedule,
  type NscheduleRow,
  unknownContacts,
  updateNschedule,
  usersOfNschedule,
} from './schedule-store.ts';

type SentNschedule = SentOf<typeof nscheduleTable>;

/** Shows the settings as the API does. */
export const showNschedule = createShow(nscheduleTable);

/** Creates, changes and deletes notification schedules. */
export const nscheduleWriter = createResourceWriter<NscheduleRow, NscheduleSettings, SentNschedule>({
  kind: 'nschedule',
  what: 'notification schedule',
  find: findNschedule,
  insert: insertNschedule,
  update: updateNschedule,
  remove: deleteNschedule,
  users: usersOfNschedule,
  numberOf: ({ nschedule_no }) => nschedule_no,
  settingsOf: (row) => row,
  show: (settings) => showNschedule(settings, {}),
  async resolve({ trx }, accountNo, sent, current) {
    const Steps = sent.Steps && (await withContactIds(trx, accountNo, sent.Steps));
    const laid = resolve(nscheduleTable, { ...sent, Steps }, current);
    const timezone = laid.timezone || (await readAccount(trx, accountNo)).timezone;
    return { settings: { ...laid, timezone }, faults: await contactFaults(trx, accountNo, Steps ?? []) };
  },
});

type SentStep = NonNullable<SentNschedule['Steps']>[number];

/** The steps with ids of contacts instead of keys. An unknown key stays, so the fault can repeat it. */
export async function withContactIds(
  trx: Parameters<typeof unknownContacts>[0],
  accountNo: number,
  steps: readonly SentStep[],
): Promise<SentStep[]> {
  const ids = new Map<string, string>();
  for (const text of new Set(steps.flatMap(({ Contacts }) => Contacts)))
    ids.set(text, (await namedId(trx, 'contact', accountNo, text)) ?? text);
  return steps.map((step) => ({ ...step, Contacts: step.Contacts.map((text) => ids.get(text) ?? text) }));
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
        : [
            referenceFault(
              `Steps.${step}.Contacts.${at}`,
              'contact',
              'the id of a contact of this account',
              id,
            ),
          ],
    ),
  );
}
