import { expect, test } from 'vitest';
import { type StatusReport, statusText } from './status-report.ts';

const endpoint = 'https://c:8444';

const status: StatusReport = {
  version: '1.2.3',
  pid: 7,
  startedMs: 0,
  devices: 3,
  waitingRecords: 2,
  clockOffsetMs: -4,
  pingFault: null,
  connection: { endpoint, location: 'berlin', sinceMs: 1000 },
  lastDisconnect: null,
};

test('the status names connection, Location, version, devices, results that wait and the clock', () => {
  expect(statusText(status, 200_000)).toBe(
    [
      'Connected to https://c:8444 for 3 min',
      'Location berlin',
      'Version 1.2.3, process 7, running for 3 min',
      '3 devices, 2 results wait for the controller',
      "This host's clock is 4 ms ahead of the controller's",
    ].join('\n'),
  );
});

test('without a connection the status says why, and a missing right to ping is shown', () => {
  const lastDisconnect = { endpoint, text: 'no connection: refused', atMs: 195_000 };
  const text = statusText(
    { ...status, connection: null, lastDisconnect, pingFault: 'needs CAP_NET_RAW' },
    200_000,
  );
  expect(text).toContain('Not connected: no connection: refused (https://c:8444, 5 s ago)');
  expect(text).toContain('PING checks do not work: needs CAP_NET_RAW');
});
