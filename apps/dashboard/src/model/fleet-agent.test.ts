import { expect, test } from 'vitest';
import {
  agentName,
  compareVersions,
  type FleetAgent,
  figuresOut,
  hasReports,
  isInUse,
} from './fleet-agent.ts';

const nowMs = Date.parse('2026-02-25T12:00:00Z');
const well: FleetAgent = {
  agent_id: 'a'.repeat(48),
  location_id: 'b'.repeat(48),
  Location: 'Oslo',
  Name: 'osl-1',
  HostName: 'edge.example.org',
  Version: '0.3.0',
  State: 'Connected',
  LastSeen: '2026-02-25T12:00:00Z',
  ClockOffset: 0.4,
  Backlog: 3,
  Lateness: { p99: 12 },
  Capacity: 6_000,
  Load: 700,
  OfflineReason: null,
  CertificateEnd: '2026-03-01T12:00:00Z',
  Upgrade: null,
};
const outOf = (values: Partial<FleetAgent>) => [...figuresOut({ ...well, ...values }, nowMs)];

test('an agent that works has no figure out of its range', () => {
  expect(outOf({})).toEqual([]);
});

test.each([
  [{ Load: 4_800 }, 'load'],
  [{ Lateness: { p99: 500 } }, 'late'],
  [{ Backlog: 701 }, 'backlog'],
  [{ ClockOffset: 1_000 }, 'clock'],
  [{ ClockOffset: -2_100 }, 'clock'],
  [{ CertificateEnd: '2026-02-26T11:59:59Z' }, 'certificate'],
] as const)('%j is out of its range', (values, figure) => {
  expect(outOf(values)).toEqual([figure]);
});

test('figures of an agent that is not connected are old, so only the end of its certificate counts', () => {
  const bad = { Load: 9_000, Backlog: 9_000, ClockOffset: 9_000, CertificateEnd: '2026-02-20T00:00:00Z' };
  expect(outOf({ ...bad, State: 'Away' })).toEqual(['certificate']);
});

test('an agent that never connected, or is revoked, has no figures', () => {
  const bad = { Backlog: 9_000, CertificateEnd: '2026-02-20T00:00:00Z' };
  expect(outOf({ ...bad, Version: null, State: 'New' })).toEqual([]);
  expect(outOf({ ...bad, State: 'Revoked' })).toEqual([]);
  expect(hasReports({ Version: null, State: 'Connected' })).toBe(false);
  expect(isInUse({ Version: null, State: 'Away' })).toBe(false);
});

test('an agent is called by its name, else by its host, else by the start of its id', () => {
  expect(agentName(well)).toBe('osl-1');
  expect(agentName({ ...well, Name: '' })).toBe('edge.example.org');
  expect(agentName({ ...well, Name: '', HostName: null })).toBe('aaaaaaaa');
});

test('versions are compared by their numbers, and a preview is older than its release', () => {
  const sorted = ['0.2.0', '0.9.3', '0.10.0-rc.1', '0.10.0', '1.0.0'];
  expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted);
  expect(compareVersions('0.3.0', '0.3.0')).toBe(0);
});
