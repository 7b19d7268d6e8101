import type { Schemas } from '@vantage/client';
import { readAgents } from '../../store/agents.ts';
import { api, ifMay, take, takeAnswer } from '../../store/api.ts';
import { type Nschedule, readNschedules } from '../../store/notification-schedules.ts';

/** A Location with the facts that its screen shows. */
export interface OpenedLocation {
  readonly location: Schemas['Location'];
  readonly etag: string | undefined;
  readonly agents: readonly Schemas['Agent'][];
  /** Undefined: the session may not see them. */
  readonly schedules: readonly Nschedule[] | undefined;
  /** Whether devices that name no Locations are checked from it. */
  readonly isDefault: boolean;
  readonly devices: Schemas['SummaryOfLocation'] | undefined;
  readonly events: readonly Schemas['Event'][];
}

const maxEvents = 10;
const standard = 'local';

export async function readLocation(location_id: string): Promise<OpenedLocation> {
  const [{ data: location, etag }, agents, schedules, account, summary, events] = await Promise.all([
    takeAnswer(api.GET('/locations/{location_id}', { params: { path: { location_id } } })),
    readAgents(),
    ifMay(readNschedules()),
    take(api.GET('/account')),
    take(api.GET('/summary', { params: { query: { By: ['Location'] } } })),
    take(api.GET('/events', { params: { query: { Location: location_id, Limit: maxEvents } } })),
  ]);
  const defaults = account.DefaultLocations ?? [standard];
  return {
    location,
    etag,
    agents: agents.filter((agent) => agent.location_id === location_id),
    schedules,
    isDefault: defaults.includes(location.Name),
    devices: summary.Locations?.find((counts) => counts.location_id === location_id),
    events,
  };
}

/** The part of an ETag that stays while only checks and agents change. */
export const settingsRevision = (etag: string | undefined): string =>
  (etag ?? '').replace(/^W\//, '').split('.', 1)[0] ?? '';
