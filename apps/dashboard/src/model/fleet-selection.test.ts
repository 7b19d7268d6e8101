import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FleetAgent } from './fleet-agent.ts';
import type { FleetLocation } from './fleet-needs.ts';
import { planMove, planRemoval, removalRequests } from './fleet-selection.ts';

const idOf = (at: number) => at.toString(16).padStart(48, '0');
const locations = [0, 1, 2].map(
  (at): FleetLocation => ({
    location_id: idOf(at),
    Name: `Site ${at}`,
    Online: true,
    OfflineReason: null,
    Load: { Devices: at + 1, ChecksPerMinute: 1, Capacity: 10 },
    AnchorStates: [],
  }),
);
const states = ['New', 'Connected', 'Away', 'Fenced', 'Revoked', 'Expired'] as const;
const agentAt = (at: number, place: number, State: FleetAgent['State']): FleetAgent => ({
  agent_id: idOf(at + 100),
  location_id: idOf(place),
  Location: `Site ${place}`,
  Name: `a${at}`,
  HostName: null,
  Version: State === 'New' || State === 'Expired' ? null : '0.3.0',
  State,
  LastSeen: null,
  ClockOffset: 0,
  Backlog: 0,
  Lateness: { p99: 1 },
  Capacity: 10,
  Load: 1,
  OfflineReason: null,
  CertificateEnd: null,
  Upgrade: null,
});
const fleet = fc
  .array(fc.tuple(fc.nat(2), fc.constantFrom(...states), fc.boolean()), { maxLength: 12 })
  .map((all) => {
    const agents = all.map(([place, state], at) => agentAt(at, place, state));
    return { locations, agents, chosen: agents.filter((_, at) => all[at]?.[2] === true) };
  });
const inForce = ['Connected', 'Away', 'Fenced'];

test('a move takes each chosen agent once, and names the Locations that have no agent afterwards', () => {
  fc.assert(
    fc.property(fleet, fc.nat(2), ({ agents, chosen }, target) => {
      const { moved, stays, left } = planMove({ locations, agents }, chosen, idOf(target));
      expect(new Set([...moved, ...stays.map(({ agent }) => agent)])).toEqual(new Set(chosen));
      const after = agents.map((agent) => (moved.includes(agent) ? idOf(target) : agent.location_id));
      const isUsed = (all: readonly string[], id: string) =>
        agents.some(({ State }, at) => all[at] === id && inForce.includes(State));
      const before = agents.map(({ location_id }) => location_id);
      const expected = locations.filter(
        ({ location_id }) => isUsed(before, location_id) && !isUsed(after, location_id),
      );
      expect(left.map(({ name }) => name)).toEqual(expected.map(({ Name }) => Name));
      for (const { State, location_id } of moved) {
        expect(['Revoked', 'Expired']).not.toContain(State);
        expect(location_id).not.toBe(idOf(target));
      }
    }),
  );
});

test('a removal does one thing with each chosen agent; only invitations get a second request', () => {
  fc.assert(
    fc.property(fleet, ({ agents, chosen }) => {
      const plan = planRemoval({ locations, agents }, chosen);
      expect(new Set([...plan.cancelled, ...plan.revoked, ...plan.removed])).toEqual(new Set(chosen));
      expect(plan.revoked.every(({ State }) => inForce.includes(State))).toBe(true);
      const requests = removalRequests(plan);
      for (const agent of chosen)
        expect(requests.filter(({ Path }) => Path === `/agents/${agent.agent_id}`)).toHaveLength(
          agent.State === 'New' ? 2 : 1,
        );
      expect(requests.filter(({ isSecond }) => isSecond)).toHaveLength(plan.cancelled.length);
    }),
  );
});
