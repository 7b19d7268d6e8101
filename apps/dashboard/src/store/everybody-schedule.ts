import { api, take, takeAnswer } from './api.ts';
import { ifMatch } from './if-match.ts';
import { type Nschedule, readNschedules } from './notification-schedules.ts';

/** The schedule that notifies all its contacts of every alert. The operator's command creates the same one. */
const everybody = 'Everybody';

/** The account's schedule "Everybody"; undefined: the account has no schedule; null: it has another one. */
export async function readEverybody(): Promise<Nschedule | null | undefined> {
  const [account, schedules] = await Promise.all([take(api.GET('/account')), readNschedules()]);
  if (account.nschedule_id === null) return undefined;
  const schedule = schedules.find(({ nschedule_id }) => nschedule_id === account.nschedule_id);
  return schedule?.Name === everybody ? schedule : null;
}

/** Has a contact notified of every alert: adds it to the schedule "Everybody", which is created if needed. */
export async function notifyOfAll(contactId: string): Promise<void> {
  const schedule = await readEverybody();
  if (schedule === null) return;
  if (schedule !== undefined) {
    const params = { path: { nschedule_id: schedule.nschedule_id } };
    const { data, etag } = await takeAnswer(api.GET('/nschedules/{nschedule_id}', { params }));
    const [first = { DelayMinutes: 0, Contacts: [] }, ...others] = data.Steps;
    const Steps = [{ ...first, Contacts: [...first.Contacts, contactId] }, ...others];
    const header = ifMatch(etag);
    await take(api.PUT('/nschedules/{nschedule_id}', { params: { ...params, header }, body: { Steps } }));
    return;
  }
  const Steps = [{ DelayMinutes: 0, Contacts: [contactId] }];
  const { nschedule_id } = await take(api.POST('/nschedules', { body: { Name: everybody, Steps } }));
  await take(api.PUT('/account', { body: { nschedule_id } }));
}
