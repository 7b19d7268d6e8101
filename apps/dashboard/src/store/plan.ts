import type { Schemas } from '@vantage/client';
import { api, take, takeAnswer } from './api.ts';

export type Contact = Schemas['Contact'];
export type Nschedule = Schemas['NotificationSchedule'];
export type Step = Nschedule['Steps'][number];

/** All contacts, by name. */
export const readContacts = (): Promise<readonly Contact[]> => take(api.GET('/contacts'));
/** All notification schedules, by name. */
export const readNschedules = (): Promise<readonly Nschedule[]> => take(api.GET('/nschedules'));

/** The things that use a notification schedule. */
interface ScheduleUsers {
  /** Devices that name it, and the first of them. */
  readonly devices: number;
  readonly first: readonly { readonly id: string; readonly name: string }[];
  /** Names of Locations. */
  readonly locations: readonly string[];
  /** All devices without a schedule of their own use it. */
  readonly isOfAccount: boolean;
}

const named = 10;

/** Finds out what uses each of these notification schedules. */
export async function readScheduleUsers(ids: readonly string[]): Promise<ReadonlyMap<string, ScheduleUsers>> {
  const [locations, account, devices] = await Promise.all([
    take(api.GET('/locations')),
    take(api.GET('/account')),
    Promise.all(
      ids.map((nschedule_id) =>
        takeAnswer(api.GET('/devices', { params: { query: { nschedule_id, Limit: named } } })),
      ),
    ),
  ]);
  return new Map(
    ids.map((id, at) => [
      id,
      {
        devices: devices[at]?.total ?? 0,
        first: (devices[at]?.data ?? []).map(({ device_id, FullName, ShortName }) => ({
          id: device_id,
          name: FullName ?? ShortName,
        })),
        locations: locations.filter(({ nschedule_id }) => nschedule_id === id).map(({ Name }) => Name),
        isOfAccount: account.nschedule_id === id,
      },
    ]),
  );
}

/** The schedule that notifies all its contacts of every alert, as the operator's command makes it, too. */
const everybody = 'Everybody';

/** The account's schedule "Everybody", which contacts join; undefined: none yet; null: the account has another one. */
export async function readEverybody(): Promise<Nschedule | null | undefined> {
  const [account, schedules] = await Promise.all([take(api.GET('/account')), readNschedules()]);
  if (account.nschedule_id === null) return undefined;
  const own = schedules.find(({ nschedule_id }) => nschedule_id === account.nschedule_id);
  return own?.Name === everybody ? own : null;
}

/** Lets a contact get every alert: it joins the schedule "Everybody", or begins it. */
export async function notifyOfAll(contactId: string): Promise<void> {
  const own = await readEverybody();
  if (own === null) return;
  if (own !== undefined) {
    const params = { path: { nschedule_id: own.nschedule_id } };
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

/** The parameters of a change to a schedule or contact that must still be as it was read. */
export function ifMatch(etag: string | undefined) {
  return etag === undefined ? {} : { 'If-Match': etag };
}

/** The schedules that name each contact, by its id. */
export function schedulesByContact(
  schedules: readonly Nschedule[],
): ReadonlyMap<string, readonly Nschedule[]> {
  const found = new Map<string, Nschedule[]>();
  for (const schedule of schedules) {
    const named = new Set(schedule.Steps.flatMap(({ Contacts }) => Contacts));
    for (const id of named) found.set(id, [...(found.get(id) ?? []), schedule]);
  }
  return found;
}
