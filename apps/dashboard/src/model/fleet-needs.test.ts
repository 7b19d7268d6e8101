import { expect, test } from 'vitest';
import type { FleetAgent } from './fleet-agent.ts';
import { type FleetLocation, needsOf } from './fleet-needs.ts';

const nowMs = Date.parse('2026-02-25T12:00:00Z');
const oslo: FleetLocation = {
  location_id: 'b'.repeat(48),
  Name: 'Oslo',
  Online: true,
  OfflineReason: null,
  Load: { Devices: 4, ChecksPerMinute: 4, Capacity: 6_000 },
  AnchorStates: [{ Name: 'gateway', State: 'Up', Reason: null }],
};
let number = 0;
const agent = (values: Partial<FleetAgent> = {}): FleetAgent => {
  number += 1;
  return {
    agent_id: number.toString(16).padStart(48, '0'),
    location_id: oslo.location_id,
    Location: 'Oslo',
    Name: `osl-${number}`,
    HostName: null,
    Version: '0.3.0',
    State: 'Connected',
    LastSeen: '2026-02-25T12:00:00Z',
    ClockOffset: 0,
    Backlog: 0,
    Lateness: { p99: 2 },
    Capacity: 6_000,
    Load: 4,
    OfflineReason: null,
    CertificateEnd: '2026-03-01T12:00:00Z',
    Upgrade: null,
    ...values,
  };
};
const kindsOf = (
  agents: readonly FleetAgent[],
  location: Partial<FleetLocation> = {},
  facts: { controllerVersion?: string; quarantined?: number } = {},
) =>
  needsOf({
    locations: [{ ...oslo, ...location }],
    agents,
    controllerVersion: facts.controllerVersion,
    quarantined: facts.quarantined,
    nowMs,
  }).map(({ kind }) => kind);

test('two agents that work need nothing', () => {
  expect(kindsOf([agent(), agent()])).toEqual([]);
});

test('a Location that checks devices by one agent needs a second one; one without devices, or with an invited one, does not', () => {
  expect(kindsOf([agent()])).toEqual(['single']);
  expect(kindsOf([agent(), agent({ State: 'New', Version: null })])).toEqual([]);
  expect(kindsOf([agent()], { Load: { ...oslo.Load, Devices: 0 } })).toEqual([]);
});

test('a full agent is told once: its checks are late because it is full', () => {
  expect(kindsOf([agent(), agent({ Load: 5_000, Lateness: { p99: 900 } })])).toEqual(['load']);
});

test('the most urgent comes first', () => {
  const agents = [
    agent({ ClockOffset: 5_000 }),
    agent({ State: 'Away' }),
    agent({ State: 'Expired', Version: null }),
    agent({ State: 'Fenced' }),
  ];
  const anchors = { AnchorStates: [{ Name: 'gateway', State: 'Down', Reason: null }] } as const;
  expect(kindsOf(agents, anchors, { quarantined: 3 })).toEqual([
    'fenced',
    'away',
    'anchor',
    'clock',
    'quarantine',
    'expired',
  ]);
});

test('a rollout counts its agents, and an agent that is upgraded has no old version', () => {
  const upgrade = (State: 'Waiting' | 'Restarting' | 'Done') => ({ Version: '0.4.0', State, Reason: null });
  const agents = [
    agent({ Version: '0.4.0', Upgrade: upgrade('Done') }),
    agent({ Upgrade: upgrade('Restarting') }),
    agent({ Upgrade: upgrade('Waiting') }),
  ];
  expect(
    needsOf({ locations: [oslo], agents, controllerVersion: undefined, quarantined: undefined, nowMs }),
  ).toEqual([{ kind: 'rollout', version: '0.4.0', done: 1, running: 1, waiting: 1 }]);
});

test('an agent is old if another one, or the controller, is newer', () => {
  expect(kindsOf([agent(), agent({ Version: '0.10.0' })])).toEqual(['oldVersion']);
  expect(kindsOf([agent(), agent()], {}, { controllerVersion: '0.3.1' })).toEqual(['oldVersion']);
  expect(kindsOf([agent(), agent()], {}, { controllerVersion: '0.2.9' })).toEqual([]);
});
