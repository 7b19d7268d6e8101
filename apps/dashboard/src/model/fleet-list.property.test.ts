import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareVersions, type FleetAgent, figuresOut, isInUse, isInvited } from './fleet-agent.ts';
import {
  countFleet,
  countVersions,
  fleetAddress,
  fleetSorts,
  fleetStates,
  listFleet,
  parseFleetView,
  sortedBy,
} from './fleet-list.ts';
import { type FleetLocation, needsOf } from './fleet-needs.ts';

const nowMs = Date.parse('2026-02-25T12:00:00Z');
const places = 5;
const idOf = (at: number) => at.toString(16).padStart(48, '0');
const moment = fc
  .integer({ min: -20 * 86_400, max: 20 * 86_400 })
  .map((seconds) => new Date(nowMs + seconds * 1_000).toISOString());
const version = fc.constantFrom('0.2.0', '0.3.0', '0.10.1');

const agentValues = fc.record({
  place: fc.integer({ min: 0, max: places - 1 }),
  Name: fc.constantFrom('', 'edge', 'core 2', 'core 10'),
  HostName: fc.constantFrom(null, 'h.example.org'),
  Version: fc.option(version),
  State: fc.constantFrom<FleetAgent['State'][]>('New', 'Connected', 'Away', 'Fenced', 'Revoked', 'Expired'),
  LastSeen: fc.option(moment),
  ClockOffset: fc.integer({ min: -3_000, max: 3_000 }),
  Backlog: fc.nat(3_000),
  Lateness: fc.record({ p99: fc.nat(1_000) }),
  Capacity: fc.constantFrom(0, 1_000, 6_000),
  Load: fc.nat(6_000),
  OfflineReason: fc.constantFrom(null, 'its resolvers are silent'),
  CertificateEnd: fc.option(moment),
  Upgrade: fc.option(
    fc.record({
      Version: version,
      State: fc.constantFrom<NonNullable<FleetAgent['Upgrade']>['State'][]>(
        'Waiting',
        'Started',
        'Downloading',
        'Restarting',
        'Done',
        'Failed',
        'Stopped',
      ),
      Reason: fc.constant(null),
    }),
  ),
});
const agents = fc.array(agentValues, { maxLength: 20 }).map((all) =>
  all.map(
    ({ place, ...values }, at): FleetAgent => ({
      ...values,
      agent_id: idOf(at + 100),
      location_id: idOf(place),
      Location: `Site ${place}`,
    }),
  ),
);
const locations = fc
  .array(
    fc.record({
      Online: fc.boolean(),
      OfflineReason: fc.constant(null),
      Load: fc.record({ Devices: fc.nat(3), ChecksPerMinute: fc.nat(9), Capacity: fc.nat(9) }),
      AnchorStates: fc.array(
        fc.record({
          Name: fc.constant('gateway'),
          State: fc.constantFrom<('Up' | 'Down' | 'Unknown')[]>('Up', 'Down', 'Unknown'),
          Reason: fc.constant(null),
        }),
        { maxLength: 1 },
      ),
    }),
    { minLength: places, maxLength: places },
  )
  .map((all) =>
    all.map((values, at): FleetLocation => ({ ...values, location_id: idOf(at), Name: `Site ${at}` })),
  );
const view = fc.record({
  words: fc.constantFrom('', 'site 3', 'edge', '0.3', 'core site'),
  state: fc.constantFrom(...fleetStates),
  version: fc.constantFrom('', '0.3.0', '0.9.9'),
  sort: fc.constantFrom(...fleetSorts),
  isDescending: fc.boolean(),
});

const needs = (fleet: { locations: readonly FleetLocation[]; agents: readonly FleetAgent[] }) =>
  needsOf({ ...fleet, controllerVersion: undefined, quarantined: undefined, nowMs });

test('each offline Location has exactly one need, unless it waits for an invited agent', () => {
  fc.assert(
    fc.property(locations, agents, (places, all) => {
      const found = needs({ locations: places, agents: all });
      for (const { location_id, Online } of places) {
        const own = all.filter((agent) => agent.location_id === location_id);
        const isWaiting = !own.some(isInUse) && own.some(isInvited);
        const count = found.filter(
          (need) =>
            (need.kind === 'offline' || need.kind === 'empty') && need.location.location_id === location_id,
        ).length;
        expect(count).toBe(!Online && !isWaiting ? 1 : 0);
      }
    }),
  );
});

test('each agent with a figure out of its range has a need, and one that works or is revoked has none', () => {
  fc.assert(
    fc.property(locations, agents, (places, all) => {
      const found = needs({ locations: places, agents: all });
      const ofAgent = (id: string) => found.filter((need) => 'agent' in need && need.agent.agent_id === id);
      for (const agent of all) {
        const own = ofAgent(agent.agent_id);
        if (agent.State === 'Revoked') expect(own).toEqual([]);
        if (isInUse(agent) && agent.State !== 'Fenced' && figuresOut(agent, nowMs).size > 0)
          expect(own.length).toBeGreaterThan(0);
        const isOffline = places.some(
          ({ location_id, Online }) => location_id === agent.location_id && !Online,
        );
        if (isInUse(agent) && agent.State === 'Away')
          expect(own.some(({ kind }) => kind === 'away')).toBe(!isOffline);
      }
    }),
  );
});

test('the list shows each Location once, with its own agents, whatever the sort; a filter only takes away', () => {
  fc.assert(
    fc.property(locations, agents, view, (places, all, chosen) => {
      const fleet = { locations: places, agents: all };
      const whole = listFleet(fleet, { ...chosen, words: '', state: 'all', version: '' });
      expect(whole.map(({ location }) => location.location_id).toSorted()).toEqual(
        places.map(({ location_id }) => location_id),
      );
      expect(whole.flatMap((group) => group.agents)).toHaveLength(all.length);
      const shown = listFleet(fleet, chosen);
      expect(shown.length).toBeLessThanOrEqual(whole.length);
      for (const { location, agents: own } of shown)
        for (const { location_id } of own) expect(location_id).toBe(location.location_id);
    }),
  );
});

test('a state of agents, or a version, shows the agents in it and their Locations only', () => {
  const isShown = {
    away: ({ State, Version }: FleetAgent) => Version !== null && (State === 'Away' || State === 'Fenced'),
    upgrading: ({ Upgrade }: FleetAgent) =>
      Upgrade !== null && !['Done', 'Failed', 'Stopped'].includes(Upgrade.State),
    failed: ({ Upgrade }: FleetAgent) => Upgrade !== null && ['Failed', 'Stopped'].includes(Upgrade.State),
  };
  fc.assert(
    fc.property(
      locations,
      agents,
      view,
      fc.constantFrom('away', 'upgrading', 'failed'),
      (places, all, chosen, state) => {
        const groups = listFleet({ locations: places, agents: all }, { ...chosen, words: '', state });
        const expected = all.filter(
          (agent) => isShown[state](agent) && (chosen.version === '' || agent.Version === chosen.version),
        );
        const shown = groups.flatMap((group) => group.agents.map(({ agent_id }) => agent_id));
        expect(shown.toSorted()).toEqual(expected.map(({ agent_id }) => agent_id).toSorted());
        expect(groups.every((group) => group.agents.length > 0)).toBe(true);
      },
    ),
  );
});

test('old are the agents in use that are older than another one, or than the controller', () => {
  fc.assert(
    fc.property(locations, agents, version, (places, all, controllerVersion) => {
      const fleet = { locations: places, agents: all, controllerVersion };
      const old = listFleet(fleet, {
        words: '',
        state: 'old',
        version: '',
        sort: 'state',
        isDescending: false,
      }).flatMap((group) => group.agents);
      const used = all.filter(isInUse);
      const newer = [controllerVersion, ...used.map(({ Version }) => Version ?? '')];
      const expected = used.filter(({ Version }) =>
        newer.some((each) => compareVersions(each, Version ?? '') > 0),
      );
      expect(new Set(old)).toEqual(new Set(expected));
    }),
  );
});

test('each agent in use is counted at its version, and the newest version is first', () => {
  fc.assert(
    fc.property(agents, (all) => {
      const counted = countVersions(all);
      expect(counted.reduce((sum, [, count]) => sum + count, 0)).toBe(all.filter(isInUse).length);
      for (const [at, [each]] of counted.entries())
        expect(at === 0 || compareVersions(counted[at - 1]?.[0] ?? '', each) > 0).toBe(true);
    }),
  );
});

test('the address of a view shows the same view', () => {
  fc.assert(
    fc.property(view, (chosen) => {
      expect(parseFleetView(new URL(fleetAddress(chosen), 'https://a.test').searchParams)).toEqual(chosen);
    }),
  );
});

test('a press on the head of a column sorts by it, and a second one the other way round', () => {
  fc.assert(
    fc.property(view, fc.constantFrom(...fleetSorts), (chosen, sort) => {
      const once = sortedBy(chosen, sort);
      expect(once.sort).toBe(sort);
      expect(sortedBy(once, sort).isDescending).toBe(!once.isDescending);
    }),
  );
});

test('sorted by a figure, the agents of a Location are in its order', () => {
  fc.assert(
    fc.property(locations, agents, (places, all) => {
      const connected = all.map((agent): FleetAgent => ({ ...agent, State: 'Connected', Version: '0.3.0' }));
      const groups = listFleet(
        { locations: places, agents: connected },
        { words: '', state: 'all', version: '', sort: 'late', isDescending: true },
      );
      for (const group of groups) {
        const figures = group.agents.map(({ Lateness }) => Lateness.p99);
        expect(figures).toEqual(figures.toSorted((a, b) => b - a));
      }
      const firsts = groups.flatMap((group) => group.agents[0]?.Lateness.p99 ?? []);
      expect(firsts).toEqual(firsts.toSorted((a, b) => b - a));
    }),
  );
});

test('the counts are those of connected agents', () => {
  fc.assert(
    fc.property(agents, (all) => {
      const counted = countFleet(all);
      const connected = all.filter(({ State, Version }) => State === 'Connected' && Version !== null);
      expect(counted.connected).toBe(connected.length);
      expect(counted.connected).toBeLessThanOrEqual(counted.inUse);
      expect(counted.load).toBe(connected.reduce((sum, { Load }) => sum + Load, 0));
      expect(counted.latest?.Lateness.p99).toBe(
        connected.length === 0 ? undefined : Math.max(...connected.map(({ Lateness }) => Lateness.p99)),
      );
    }),
  );
});
