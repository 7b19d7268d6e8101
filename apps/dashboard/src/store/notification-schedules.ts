import type { Schemas } from '@vantage/client';
import { api, take, takeAnswer } from './api.ts';

export type NotificationContact = Schemas['Contact'];
export type Nschedule = Schemas['NotificationSchedule'];
export type NotificationStep = Nschedule['Steps'][number];

/** All contacts, by name. */
export const readContacts = (): Promise<readonly NotificationContact[]> => take(api.GET('/contacts'));
/** All notification schedules, by name. */
export const readNschedules = (): Promise<readonly Nschedule[]> => take(api.GET('/nschedules'));

/** The things that use a notification schedule. */
interface ScheduleUsers {
  /** The number of devices that name it, and the first of them. */
  readonly devices: number;
  readonly first: readonly { readonly id: string; readonly name: string }[];
  /** Names of Locations. */
  readonly locations: readonly string[];
  /** All devices without a schedule of their own use it. */
  readonly isOfAccount: boolean;
}

const maxNamed = 10;
/** The maximum number of schedules whose devices are counted: a request for each of them. */
export const maxCounted = 20;

/** The things that use each of these notification schedules. */
export async function readScheduleUsers(ids: readonly string[]): Promise<ReadonlyMap<string, ScheduleUsers>> {
  const [locations, account, devices] = await Promise.all([
    take(api.GET('/locations')),
    take(api.GET('/account')),
    Promise.all(
      ids.map((nschedule_id) =>
        takeAnswer(api.GET('/devices', { params: { query: { nschedule_id, Limit: maxNamed } } })),
      ),
    ),
  ]);
  return new Map(
    ids.map((id, index) => [
      id,
      {
        devices: devices[index]?.total ?? 0,
        first: (devices[index]?.data ?? []).map(({ device_id, FullName, ShortName }) => ({
          id: device_id,
          name: FullName ?? ShortName,
        })),
        locations: locations.filter(({ nschedule_id }) => nschedule_id === id).map(({ Name }) => Name),
        isOfAccount: account.nschedule_id === id,
      },
    ]),
  );
}

/**
 * The number of devices without a schedule of their own, which use that of the account; undefined: there are too many
 * schedules to count.
 */
export async function readInheriting(): Promise<number | undefined> {
  const schedules = await readNschedules();
  if (schedules.length > maxCounted) return undefined;
  const totalOf = async (query: { readonly nschedule_id?: string }) =>
    (await takeAnswer(api.GET('/devices', { params: { query: { ...query, Limit: 1 } } }))).total ?? 0;
  const [all, ...named] = await Promise.all([
    totalOf({}),
    ...schedules.map(({ nschedule_id }) => totalOf({ nschedule_id })),
  ]);
  // Devices may change between the answers.
  return Math.max(0, all - named.reduce((sum, devices) => sum + devices, 0));
}

/** The schedules that name each contact, by its id. */
export function schedulesByContact(
  schedules: readonly Nschedule[],
): ReadonlyMap<string, readonly Nschedule[]> {
  const found = new Map<string, Nschedule[]>();
  for (const schedule of schedules) {
    const contacts = new Set(schedule.Steps.flatMap(({ Contacts }) => Contacts));
    for (const id of contacts) found.set(id, [...(found.get(id) ?? []), schedule]);
  }
  return found;
}
