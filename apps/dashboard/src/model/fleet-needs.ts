import {
  type Figure,
  type FleetAgent,
  figuresOut,
  isInUse,
  isInvited,
  isOld,
  isUpgrading,
  newestVersion,
} from './fleet-agent.ts';

/** The properties of a Location that the fleet shows. */
export interface FleetLocation {
  readonly location_id: string;
  readonly Name: string;
  readonly Online: boolean;
  readonly OfflineReason: string | null;
  readonly Load: { readonly Devices: number; readonly ChecksPerMinute: number; readonly Capacity: number };
  readonly AnchorStates: readonly {
    readonly Name: string;
    readonly State: 'Up' | 'Down' | 'Unknown';
    readonly Reason: string | null;
  }[];
}

/** Something that a person has to do about a Location or an agent. */
export type Need =
  | { readonly kind: 'offline'; readonly location: FleetLocation; readonly agents: readonly FleetAgent[] }
  | { readonly kind: 'empty'; readonly location: FleetLocation }
  | { readonly kind: 'fenced' | 'away' | 'blind' | 'upgradeFailed' | 'expired'; readonly agent: FleetAgent }
  | { readonly kind: Figure; readonly agent: FleetAgent }
  | {
      readonly kind: 'anchor';
      readonly location: FleetLocation;
      readonly anchor: string;
      readonly reason: string | null;
    }
  | {
      readonly kind: 'rollout';
      readonly version: string;
      readonly done: number;
      readonly running: number;
      readonly waiting: number;
    }
  | { readonly kind: 'oldVersion'; readonly version: string; readonly agents: readonly FleetAgent[] }
  | { readonly kind: 'quarantine'; readonly records: number }
  | { readonly kind: 'single'; readonly locations: readonly FleetLocation[] };

/** The needs in the order of their urgency. */
const order: readonly Need['kind'][] = [
  'offline',
  'fenced',
  'blind',
  'away',
  'certificate',
  'anchor',
  'clock',
  'load',
  'late',
  'backlog',
  'quarantine',
  'upgradeFailed',
  'rollout',
  'empty',
  'expired',
  'oldVersion',
  'single',
];

interface Fleet {
  readonly locations: readonly FleetLocation[];
  readonly agents: readonly FleetAgent[];
  /** The version of the controller; undefined: the session may not see it. */
  readonly controllerVersion: string | undefined;
  /** Results of the last day that were not accepted; undefined: the session may not see it. */
  readonly quarantined: number | undefined;
  readonly nowMs: number;
}

/**
 * The tasks of a person about the fleet, the most urgent first. An offline agent is not listed if its whole
 * Location is offline. Pure.
 */
export function needsOf(fleet: Fleet): readonly Need[] {
  const { locations, agents, quarantined = 0, nowMs } = fleet;
  const byLocation = Map.groupBy(agents, ({ location_id }) => location_id);
  const offline = new Set(locations.filter(({ Online }) => !Online).map(({ location_id }) => location_id));
  const needs: Need[] = [
    ...locations.flatMap((location) => needsOfLocation(location, byLocation.get(location.location_id) ?? [])),
    ...agents.flatMap((agent) => needsOfAgent(agent, offline.has(agent.location_id), nowMs)),
    ...rollouts(agents),
    ...oldVersions(fleet),
    ...(quarantined === 0 ? [] : [{ kind: 'quarantine' as const, records: quarantined }]),
    ...singles(locations, byLocation),
  ];
  return needs.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

function needsOfLocation(location: FleetLocation, agents: readonly FleetAgent[]): readonly Need[] {
  const inUse = agents.filter(isInUse);
  // A Location whose agent is invited waits for it.
  if (!location.Online && inUse.length > 0) return [{ kind: 'offline', location, agents: inUse }];
  if (!location.Online) return agents.some(isInvited) ? [] : [{ kind: 'empty', location }];
  return location.AnchorStates.flatMap(({ Name, State, Reason }) =>
    State === 'Down' ? [{ kind: 'anchor' as const, location, anchor: Name, reason: Reason }] : [],
  );
}

function needsOfAgent(agent: FleetAgent, isOffline: boolean, nowMs: number): readonly Need[] {
  if (agent.State === 'Expired') return [{ kind: 'expired', agent }];
  if (agent.State === 'Fenced') return [{ kind: 'fenced', agent }];
  if (!isInUse(agent)) return [];
  const out = figuresOut(agent, nowMs);
  // Checks start late because the agent is full.
  const figures = [...out].filter((figure) => !(figure === 'late' && out.has('load')));
  const isBlind = agent.State === 'Connected' && agent.OfflineReason !== null;
  return [
    ...(agent.State === 'Away' && !isOffline ? [{ kind: 'away' as const, agent }] : []),
    ...(isBlind && !isOffline ? [{ kind: 'blind' as const, agent }] : []),
    ...figures.map((kind) => ({ kind, agent })),
    ...(agent.Upgrade?.State === 'Failed' ? [{ kind: 'upgradeFailed' as const, agent }] : []),
  ];
}

/** Rollouts that are not finished, by version. */
function rollouts(agents: readonly FleetAgent[]): readonly Need[] {
  const upgrading = agents.filter((agent) => isInUse(agent) && agent.Upgrade !== null);
  const byVersion = Map.groupBy(upgrading, ({ Upgrade }) => Upgrade?.Version ?? '');
  return [...byVersion].flatMap(([version, those]) => {
    const count = (...states: readonly string[]) =>
      those.filter(({ Upgrade }) => states.includes(Upgrade?.State ?? '')).length;
    const running = count('Started', 'Downloading', 'Restarting');
    const waiting = count('Waiting');
    if (running + waiting === 0) return [];
    return [{ kind: 'rollout' as const, version, done: count('Done'), running, waiting }];
  });
}

/** Agents of an older version than the controller's, or than the newest of the agents. */
function oldVersions({ agents, controllerVersion }: Fleet): readonly Need[] {
  const newest = newestVersion(agents, controllerVersion);
  if (newest === undefined) return [];
  // An agent that is being upgraded is part of a rollout.
  const old = agents.filter((agent) => isOld(agent, newest) && !isUpgrading(agent));
  return old.length === 0 ? [] : [{ kind: 'oldVersion', version: newest, agents: old }];
}

/** Online Locations with devices and one agent only. */
function singles(
  locations: readonly FleetLocation[],
  byLocation: ReadonlyMap<string, readonly FleetAgent[]>,
): readonly Need[] {
  const found = locations.filter(({ location_id, Online, Load }) => {
    const agents = byLocation.get(location_id) ?? [];
    return (
      Online && Load.Devices > 0 && agents.filter((agent) => isInUse(agent) || isInvited(agent)).length === 1
    );
  });
  return found.length === 0 ? [] : [{ kind: 'single', locations: found }];
}
