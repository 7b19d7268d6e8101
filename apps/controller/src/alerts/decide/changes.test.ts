import { checkId, dayUs } from '@vantage/domain';
import { changesAlerts, type EventCause } from '@vantage/health';
import { expect, test } from 'vitest';
import { changesOf } from './changes.ts';

const nowUs = 1_000_000;
const device = { accountNo: 3, deviceNo: 5 };
const check = { startUs: 400, agentNo: 7 };
const check_id = checkId({ deviceNo: 5, ...check });
const place = { accountNo: 3, locationNo: 9, locationName: 'Oslo' };
const of = (cause: EventCause) => changesOf([cause].filter(changesAlerts), nowUs);

test('late results that end Down or Up are late, and name the check that decided, where there is one', () => {
  const correction = { kind: 'correction', ...device, isLate: false } as const;
  expect(of({ ...correction, status: 'Down', check })).toEqual([
    {
      kind: 'down',
      ...device,
      sinceUs: 400,
      locationNo: null,
      agentNo: 7,
      isLate: true,
      facts: { CheckResult: null, check_id },
    },
  ]);
  expect(of({ ...correction, status: 'Up', check: null })).toEqual([
    {
      kind: 'up',
      ...device,
      sinceUs: nowUs,
      locationNo: null,
      agentNo: null,
      isLate: true,
      facts: { CheckResult: null, check_id: null },
    },
  ]);
  expect(of({ ...correction, status: 'Unknown', check })).toEqual([{ kind: 'touched', deviceNo: 5 }]);
});

test('the end of a maintenance opens an alert where the device is Down then, and touches it otherwise', () => {
  const end = { kind: 'maintenance-end', ...device, by: 'time', atUs: 70, endedS: 1 } as const;
  expect(of({ ...end, status: 'Down' })).toEqual([{ kind: 'maintenance-over', ...device, sinceUs: 70 }]);
  expect(of({ ...end, status: 'Up' })).toEqual([{ kind: 'touched', deviceNo: 5 }]);
});

test.each([
  [-1, 'expired'],
  [0, '0 days left'],
  [1, '1 day left'],
  [2, '2 days left'],
])('a certificate with %i whole days says so', (days, CheckResult) => {
  const atUs = 50 * dayUs;
  const notAfterUs = atUs + days * dayUs + 5;
  const cause = {
    kind: 'certificate-expiring',
    ...device,
    check,
    locationNo: 9,
    atUs,
    notAfterUs,
    what: 'certificate',
  } as const;
  expect(of(cause)).toEqual([
    {
      kind: 'certificate',
      ...device,
      facts: { CheckResult, check_id, NotAfter: notAfterUs, DaysLeft: days },
    },
  ]);
});

test('an interface has an alert of its own, unless it makes the device Down', () => {
  const change = {
    key: 'uplink',
    name: 'Gi1/0/48',
    alias: 'uplink',
    sinceUs: 50,
    firstUs: 50,
    downs: 1,
    isMissing: false,
  };
  const at = { ...device, check, locationNo: 9, atUs: 60, status: 'Up' } as const;
  const down = { kind: 'interface-down', ...at, change: { ...change, kind: 'down' } } as const;
  const facts = { Interface: 'Gi1/0/48', Alias: 'uplink', WatchedBy: 'uplink', check_id };
  expect(of({ ...down, isDeviceDown: false })).toEqual([
    {
      kind: 'interface-down',
      ...device,
      locationNo: 9,
      sinceUs: 50,
      facts: { ...facts, CheckResult: 'Gi1/0/48 “uplink” is Down' },
    },
  ]);
  expect(of({ ...down, isDeviceDown: true })).toEqual([]);
  const up = { kind: 'interface-up', ...at, isDeviceDown: true } as const;
  expect(of({ ...up, change: { ...change, kind: 'unwatched' } })).toMatchObject([
    { kind: 'interface-up', facts: { ...facts, At: 60, Unwatched: true } },
  ]);
});

test('slow and fast, an anchor, a Location and a fenced agent keep their own times and words', () => {
  const speed = { ...device, check, locationNo: 9, atUs: 60, requestMs: 2300 };
  expect(of({ kind: 'device-slow', ...speed })).toEqual([
    { kind: 'slow', ...device, sinceUs: 60, facts: { CheckResult: 'took 2300 ms', check_id } },
  ]);
  expect(of({ kind: 'device-fast', ...speed })).toEqual([
    {
      kind: 'fast',
      deviceNo: 5,
      facts: { CheckResult: 'no longer slow, took 2300 ms', check_id, At: 60 },
    },
  ]);
  const anchor = { ...place, anchorName: 'gw', target: '192.0.2.1', sinceUs: 80 };
  const about = { Name: 'gw', Target: '192.0.2.1', Location: 'Oslo' };
  const at = { accountNo: 3, locationNo: 9 };
  expect(of({ kind: 'anchor-down', ...anchor, reason: 'no answer' })).toEqual([
    { kind: 'anchor-down', ...at, sinceUs: 80, facts: { ...about, CheckResult: 'no answer' } },
  ]);
  expect(of({ kind: 'anchor-up', ...anchor, because: 'answers' })).toEqual([
    { kind: 'anchor-up', ...at, sinceUs: nowUs, facts: about },
  ]);
  expect(of({ kind: 'location-offline', ...place, sinceUs: 90, reason: null, devices: 4 })).toEqual([
    { kind: 'offline', ...at, sinceUs: 90, facts: { Location: 'Oslo', Devices: 4, CheckResult: null } },
  ]);
  expect(of({ kind: 'location-online', ...place, offlineSinceUs: 90 })).toEqual([
    { kind: 'online', ...at, sinceUs: nowUs, facts: { Location: 'Oslo' } },
  ]);
  expect(of({ kind: 'agent-fenced', ...place, agentName: 'a', hostNames: ['h', 'i'] })).toEqual([
    { kind: 'fenced', ...at, sinceUs: nowUs, facts: { Location: 'Oslo', Agent: 'a', Hosts: ['h', 'i'] } },
  ]);
});

test('what changes nothing for alerts is left out', () => {
  const created = { kind: 'device-created', ...device, deviceName: 'web' } as const;
  const paused = { kind: 'device-paused', ...device, deviceName: 'web', endedS: 1 } as const;
  const causes: readonly EventCause[] = [created, paused, created];
  expect(changesOf(causes.filter(changesAlerts), nowUs)).toEqual([{ kind: 'touched', deviceNo: 5 }]);
});
