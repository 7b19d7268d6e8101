import type { Schemas } from '@vantage/client';
import { api, ifMay, take } from '../../store/api.ts';
import { readMschedules } from '../../store/maintenance-schedules.ts';
import { type Nschedule, readContacts, readNschedules } from '../../store/notification-schedules.ts';
import { readTagNames } from '../../store/tags.ts';

/** The things of the account that a device can name. Sessions that are limited to tags may not see all of them. */
export interface DeviceChoices {
  readonly nschedules: readonly Nschedule[];
  /** Names of contacts by their ids; undefined: the session may not see them. */
  readonly contacts: ReadonlyMap<string, string> | undefined;
  readonly mschedules: readonly Schemas['MaintenanceSchedule'][];
  readonly tags: readonly string[];
  /** The schedule of devices without one of their own. */
  readonly accountSchedule: string | null;
  /** The Locations of devices that name none. */
  readonly defaultLocations: readonly string[];
}

export async function readChoices(): Promise<DeviceChoices> {
  const [nschedules, contacts, mschedules, tags, account] = await Promise.all([
    ifMay(readNschedules()),
    ifMay(readContacts()),
    ifMay(readMschedules()),
    ifMay(readTagNames()),
    take(api.GET('/account')),
  ]);
  return {
    nschedules: nschedules ?? [],
    contacts: contacts && new Map(contacts.map(({ contact_id, Name }) => [contact_id, Name])),
    mschedules: mschedules ?? [],
    tags: tags ?? [],
    accountSchedule: account.nschedule_id,
    // null: the Location of this name.
    defaultLocations: account.DefaultLocations ?? ['local'],
  };
}

/** The master that traceroutes suggest for a device. */
export const readSuggestion = (device_id: string): Promise<Schemas['SuggestedMaster']> =>
  take(api.GET('/devices/{device_id}/suggested-master', { params: { path: { device_id } } }));

/** Has an agent trace the path to a device. */
export async function tracePath(device_id: string): Promise<void> {
  await take(api.POST('/devices/{device_id}/traceroute', { params: { path: { device_id } } }));
}
