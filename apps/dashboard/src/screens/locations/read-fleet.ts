import type { Schemas } from '@vantage/client';
import { locations, readLocations } from '../../store/account-state.ts';
import { readAgents } from '../../store/agents.ts';
import { api, ifMay, take } from '../../store/api.ts';
import { mayAdminister } from '../../store/credential.ts';

/** The Locations and agents with the counts of their devices. */
export interface Fleet {
  readonly locations: readonly Schemas['Location'][];
  readonly agents: readonly Schemas['Agent'][];
  /** The counts of devices by location_id. */
  readonly devices: ReadonlyMap<string, Schemas['SummaryOfLocation']>;
  /** The version of the controller; undefined: the session may not see it. */
  readonly controllerVersion: string | undefined;
  /** Results of the last day that were not accepted; undefined: the session may not see it. */
  readonly quarantined: number | undefined;
}

/** Reads all Locations and agents, for the other screens too. */
export async function readFleet(): Promise<Fleet> {
  const [agents, summary, installation] = await Promise.all([
    readAgents(),
    take(api.GET('/summary', { params: { query: { By: ['Location'] } } })),
    mayAdminister.value ? ifMay(take(api.GET('/installation'))) : undefined,
    readLocations(),
  ]);
  return {
    locations: locations.value,
    agents,
    devices: new Map((summary.Locations ?? []).map((counts) => [counts.location_id, counts])),
    controllerVersion: installation?.Version,
    quarantined: installation?.Queues.QuarantinedLastDay,
  };
}
