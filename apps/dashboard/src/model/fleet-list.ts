import {
  compareVersions,
  type FleetAgent,
  hasReports,
  isInUse,
  isOld,
  isUpgrading,
  newestVersion,
  shareOf,
} from './fleet-agent.ts';
import type { FleetLocation } from './fleet-needs.ts';
import { naturalKey } from './natural-order.ts';

/** The columns by which the fleet can be sorted. `state`: offline Locations first, then by name. */
export const fleetSorts = [
  'state',
  'name',
  'load',
  'late',
  'backlog',
  'clock',
  'version',
  'certificate',
] as const;
export type FleetSort = (typeof fleetSorts)[number];

/** The filter by state: Locations in a state with all of their agents, or agents in a state with their Locations. */
export const fleetStates = ['all', 'offline', 'waiting', 'away', 'old', 'upgrading', 'failed'] as const;
type FleetState = (typeof fleetStates)[number];

/** The states of agents. */
const agentStates: Partial<Record<FleetState, (agent: FleetAgent, newest: string | undefined) => boolean>> = {
  away: (agent) => isInUse(agent) && agent.State !== 'Connected',
  old: isOld,
  upgrading: isUpgrading,
  failed: ({ Upgrade }) => Upgrade?.State === 'Failed' || Upgrade?.State === 'Stopped',
};

/** The rows of the list of the fleet. */
export interface FleetView {
  readonly words: string;
  readonly state: FleetState;
  /** Only agents of this version; '': of every one. */
  readonly version: string;
  readonly sort: FleetSort;
  readonly isDescending: boolean;
}

/** A Location with those of its agents that are shown. */
export interface FleetGroup<Agent, Location> {
  readonly location: Location;
  readonly agents: readonly Agent[];
}

/** The view that an address describes. Pure. */
export function parseFleetView(query: URLSearchParams): FleetView {
  const sent = query.get('sort') ?? '';
  return {
    words: query.get('q') ?? '',
    state: fleetStates.find((state) => state === query.get('state')) ?? 'all',
    version: query.get('version') ?? '',
    sort: fleetSorts.find((sort) => sort === sent.replace(/^-/, '')) ?? 'state',
    isDescending: sent.startsWith('-'),
  };
}

/** The address of a view. Pure. */
export function fleetAddress({ words, state, version, sort, isDescending }: FleetView): string {
  const query = new URLSearchParams();
  if (words !== '') query.set('q', words);
  if (state !== 'all') query.set('state', state);
  if (version !== '') query.set('version', version);
  if (sort !== 'state' || isDescending) query.set('sort', `${isDescending ? '-' : ''}${sort}`);
  return query.size === 0 ? '/locations' : `/locations?${query}`;
}

/** The view after a press on the head of a column: sorted by it, or reversed. Figures begin with the highest. */
export function sortedBy(view: FleetView, sort: FleetSort): FleetView {
  if (view.sort === sort) return { ...view, isDescending: !view.isDescending };
  return { ...view, sort, isDescending: !['state', 'name', 'version', 'certificate'].includes(sort) };
}

/** The Locations and agents that a view shows, in its order. Pure. */
export function listFleet<Agent extends FleetAgent, Location extends FleetLocation>(
  {
    locations,
    agents,
    controllerVersion,
  }: {
    readonly locations: readonly Location[];
    readonly agents: readonly Agent[];
    readonly controllerVersion?: string | undefined;
  },
  view: FleetView,
): readonly FleetGroup<Agent, Location>[] {
  const words = view.words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const byLocation = Map.groupBy(agents, ({ location_id }) => location_id);
  const newest = newestVersion(agents, controllerVersion);
  const isAgentInState = agentStates[view.state];
  const isNarrowed = isAgentInState !== undefined || view.version !== '';
  const groups = locations.flatMap((location) => {
    const all = byLocation.get(location.location_id) ?? [];
    if (!isInState(location, all, view.state)) return [];
    const own = all.filter(
      (agent) =>
        (view.version === '' || agent.Version === view.version) && (isAgentInState?.(agent, newest) ?? true),
    );
    if (isNarrowed && own.length === 0) return [];
    const name = location.Name.toLowerCase();
    if (words.every((word) => name.includes(word))) return [{ location, agents: own }];
    const found = own.filter((agent) => {
      const text = textOf(agent);
      return words.every((word) => text.includes(word) || name.includes(word));
    });
    return found.length === 0 ? [] : [{ location, agents: found }];
  });
  return groups
    .map((group) => ({ ...group, agents: sortAgents(group.agents, view) }))
    .toSorted(groupOrder(view));
}

const textOf = ({ Name, HostName, Version, agent_id }: FleetAgent) =>
  [Name, HostName, Version, agent_id].join(' ').toLowerCase();

function isInState(location: FleetLocation, agents: readonly FleetAgent[], state: FleetState): boolean {
  if (state === 'offline') return !location.Online;
  return state !== 'waiting' || agents.some(({ State }) => State === 'New' || State === 'Expired');
}

/** The value by which an agent is sorted; undefined: it has none, and comes last. */
function figureOf(agent: FleetAgent, sort: FleetSort): number | undefined {
  if (sort === 'certificate')
    return agent.CertificateEnd === null ? undefined : Date.parse(agent.CertificateEnd);
  if (sort === 'load') return isInUse(agent) ? shareOf(agent) : undefined;
  if (!hasReports(agent)) return undefined;
  if (sort === 'late') return agent.Lateness.p99;
  return sort === 'backlog' ? agent.Backlog : Math.abs(agent.ClockOffset);
}

const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const nameOf = ({ Name, agent_id }: FleetAgent) => `${naturalKey(Name)} ${agent_id}`;

/** Compares by a value; whoever has none comes last in both directions. */
function byValue<Row, Value>(
  readValue: (row: Row) => Value | undefined,
  compare: (a: Value, b: Value) => number,
  isDescending: boolean,
): (a: Row, b: Row) => number {
  return (rowA, rowB) => {
    const [a, b] = [readValue(rowA), readValue(rowB)];
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    return isDescending ? compare(b, a) : compare(a, b);
  };
}

const subtract = (a: number, b: number) => a - b;

/** The order of agents; undefined: they keep the order of their names. */
function agentOrder({
  sort,
  isDescending,
}: FleetView): ((a: FleetAgent, b: FleetAgent) => number) | undefined {
  if (sort === 'state') return undefined;
  if (sort === 'name') return byValue(nameOf, compareTexts, isDescending);
  if (sort === 'version')
    return byValue(({ Version }) => Version ?? undefined, compareVersions, isDescending);
  return byValue((agent) => figureOf(agent, sort), subtract, isDescending);
}

function sortAgents<Agent extends FleetAgent>(agents: readonly Agent[], view: FleetView): readonly Agent[] {
  const named = agents.toSorted((a, b) => compareTexts(nameOf(a), nameOf(b)));
  const order = agentOrder(view);
  return order === undefined ? named : named.toSorted(order);
}

/** Locations are in the order of their first agents, then in that of their names. */
function groupOrder(
  view: FleetView,
): (a: FleetGroup<FleetAgent, FleetLocation>, b: FleetGroup<FleetAgent, FleetLocation>) => number {
  const byName = (a: FleetGroup<FleetAgent, FleetLocation>, b: FleetGroup<FleetAgent, FleetLocation>) =>
    compareTexts(naturalKey(a.location.Name), naturalKey(b.location.Name));
  const sign = view.isDescending ? -1 : 1;
  if (view.sort === 'name') return (a, b) => sign * byName(a, b);
  if (view.sort === 'state')
    return (a, b) => sign * (Number(a.location.Online) - Number(b.location.Online)) || byName(a, b);
  const order = agentOrder(view);
  return (a, b) => {
    const [first, second] = [a.agents[0], b.agents[0]];
    if (first === undefined || second === undefined)
      return Number(first === undefined) - Number(second === undefined) || byName(a, b);
    return order?.(first, second) || byName(a, b);
  };
}

/** The versions of agents in use with their numbers, the newest first. Pure. */
export function countVersions(
  agents: readonly FleetAgent[],
): readonly (readonly [version: string, agents: number])[] {
  const byVersion = Map.groupBy(agents.filter(isInUse), ({ Version }) => Version ?? '');
  return [...byVersion]
    .map(([version, those]) => [version, those.length] as const)
    .toSorted(([a], [b]) => compareVersions(b, a));
}

/** The counts of the fleet. */
export interface FleetCounts {
  readonly connected: number;
  /** Agents that could be connected. */
  readonly inUse: number;
  readonly load: number;
  readonly capacity: number;
  /** The highest lateness of a connected agent, and the agent; undefined: none is connected. */
  readonly latest: FleetAgent | undefined;
}

/** Counts the agents. Pure. */
export function countFleet(agents: readonly FleetAgent[]): FleetCounts {
  const connected = agents.filter(hasReports);
  return {
    connected: connected.length,
    inUse: agents.filter(isInUse).length,
    load: connected.reduce((sum, { Load }) => sum + Load, 0),
    capacity: connected.reduce((sum, { Capacity }) => sum + Capacity, 0),
    latest: connected.toSorted((a, b) => b.Lateness.p99 - a.Lateness.p99)[0],
  };
}
