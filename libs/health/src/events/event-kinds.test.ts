import { expect, test } from 'vitest';
import type { FoldEvent } from '../fold-step.ts';
import { type EventCause, kindOf } from './event-kinds.ts';

const device = { accountNo: 1, deviceNo: 2 };
const location = { accountNo: 1, locationNo: 3, locationName: 'Oslo' };
const fenced = { kind: 'agent-fenced', ...location, agentName: 'a1' } as const;
const offline = { kind: 'location-offline', ...location, sinceUs: 5 } as const;
const anchor = { ...location, anchorName: 'gateway', target: '10.0.0.1', sinceUs: 5 } as const;
const alert = { ...device, locationNo: null, alertKind: 'device.down', status: 'Down' } as const;
const start = {
  kind: 'maintenance-start',
  ...device,
  durationUs: 600_000_000,
  endedS: 1,
  atUs: 5,
  reason: null,
  by: 'user',
} as const;
const checked = { check: { startUs: 4, agentNo: 6 }, locationNo: 3, atUs: 5 } as const;
const change = {
  kind: 'down',
  key: 'Gi1/0/17',
  name: 'Gi1/0/17',
  alias: 'uplink hall 2',
  sinceUs: 1_200_000_000,
  firstUs: 1_200_000_000,
  downs: 1,
  isMissing: false,
} as const;
const port = { ...device, ...checked, status: 'Up', isDeviceDown: false } as const;
const end = { kind: 'maintenance-end', ...device, status: 'Up', atUs: 5, endedS: 1 } as const;

function checkCause(
  type: FoldEvent['type'],
  failingNames: readonly string[] = [],
  endsPartial = false,
): EventCause {
  const event: FoldEvent = {
    type,
    status: 'Up',
    atUs: 5,
    sinceUs: 5,
    cause: { startUs: 4, agentNo: 6 },
    locationNo: 3,
    text: 'HTTP 500',
    ended: null,
    failing: [],
    endsPartial,
  };
  return { kind: 'check', ...device, event, failingNames, endedS: null, isLate: false };
}

test.each<[EventCause, string]>([
  [checkCause('Error'), 'First error, not yet confirmed: HTTP 500'],
  [checkCause('Recovered'), 'The retry succeeded: HTTP 500'],
  [checkCause('Recovered', [], true), 'Recovered at all Locations: HTTP 500'],
  [checkCause('Partial', ['Oslo', 'Rome']), 'Fails from Oslo, Rome only'],
  [checkCause('Down'), 'Down: HTTP 500'],
  [checkCause('Up'), 'Up: HTTP 500'],
  [checkCause('Unknown'), 'Status unknown: HTTP 500'],
  [
    { kind: 'correction', ...device, status: 'Up', check: null, isLate: false },
    'Status corrected to Up by late results',
  ],
  [{ ...start, isExtension: false }, 'Maintenance for 10 min'],
  [{ ...start, isExtension: true }, 'Maintenance continues for 10 min'],
  [{ ...start, isExtension: false, reason: 'new disk' }, 'Maintenance for 10 min: new disk'],
  [{ ...start, isExtension: false, by: 'schedule' }, 'Scheduled maintenance for 10 min'],
  [{ ...end, by: 'user' }, 'Maintenance stopped'],
  [{ ...end, by: 'time' }, 'Maintenance ended'],
  [{ kind: 'device-created', ...device, deviceName: 'web' }, 'web was created'],
  [
    { kind: 'device-deleted', ...device, deviceId: 'd', deviceName: 'web', fullName: null, tagNos: [] },
    'web was deleted',
  ],
  [
    { kind: 'device-changed', ...device, deviceName: 'web', status: 'Up', fields: ['URL', 'Timeout'] },
    'web was changed: URL, Timeout',
  ],
  [
    { kind: 'device-slow', ...device, ...checked, requestMs: 812 },
    'Slow: several checks in a row took long, the last one 812 ms',
  ],
  [
    { kind: 'device-fast', ...device, ...checked, requestMs: 12 },
    'No longer slow: the last check took 12 ms',
  ],
  [
    {
      kind: 'certificate-expiring',
      ...device,
      ...checked,
      what: 'certificate',
      notAfterUs: 13.5 * 86_400_000_000,
    },
    'The certificate expires in 13 days, at 1970-01-14T12:00:00Z',
  ],
  [
    {
      kind: 'certificate-expiring',
      ...device,
      ...checked,
      atUs: 2 * 86_400_000_000,
      what: 'domain',
      notAfterUs: 86_400_000_000,
    },
    'The domain expired 1 day ago, at 1970-01-02T00:00:00Z',
  ],
  [
    { kind: 'device-restarted', ...device, ...checked, status: 'Up', startedUs: 1e15 },
    'Restarted: running since 2001-09-09T01:46:40Z',
  ],
  [
    {
      kind: 'trap-received',
      ...device,
      locationNo: 3,
      atUs: 5,
      status: 'Up',
      from: 'trap',
      text: 'linkDown: ifIndex 3',
      isLate: false,
    },
    'Trap linkDown: ifIndex 3',
  ],
  [{ kind: 'interface-down', ...port, change }, 'Gi1/0/17 “uplink hall 2” is Down'],
  [
    { kind: 'interface-down', ...port, change: { ...change, alias: null, downs: 3, firstUs: 300_000_000 } },
    'Gi1/0/17 is Down, 3 times within 15 min',
  ],
  [
    { kind: 'interface-down', ...port, change: { ...change, isMissing: true } },
    'Gi1/0/17 “uplink hall 2” is Down: the device no longer has it',
  ],
  [
    { kind: 'interface-up', ...port, change: { ...change, kind: 'up', name: 'eth\u001b[31m0', alias: '' } },
    'eth [31m0 is Up again',
  ],
  [
    { kind: 'interface-up', ...port, change: { ...change, kind: 'unwatched', alias: 'x'.repeat(200) } },
    `Gi1/0/17 “${'x'.repeat(119)}…” is no longer watched`,
  ],
  [{ kind: 'location-online', ...location, offlineSinceUs: 5 }, 'Location Oslo is online again'],
  [{ ...offline, reason: null, devices: 2 }, 'Location Oslo is offline, 2 devices not checked'],
  [{ ...offline, reason: 'no DNS', devices: 1 }, 'Location Oslo is offline (no DNS), 1 device not checked'],
  [
    { ...anchor, kind: 'anchor-down', reason: 'no answer from 10.0.0.1 within 2 s' },
    'Anchor gateway (10.0.0.1) of Location Oslo does not answer, errors of devices behind it are inconclusive: no answer from 10.0.0.1 within 2 s',
  ],
  [
    { ...anchor, kind: 'anchor-up', because: 'answers' },
    'Anchor gateway (10.0.0.1) of Location Oslo answers again',
  ],
  [
    { ...anchor, kind: 'anchor-up', because: 'removed' },
    'Anchor gateway (10.0.0.1) of Location Oslo is no longer set',
  ],
  [
    { ...anchor, kind: 'anchor-up', because: 'unchecked' },
    'Anchor gateway (10.0.0.1) of Location Oslo can no longer be checked',
  ],
  [
    { ...fenced, hostNames: ['h1', 'h2'] },
    'Agent a1 of Location Oslo is fenced, its identity is used twice (hosts: h1 and h2)',
  ],
  [{ kind: 'agent-revoked', ...location, agentName: 'a1' }, 'Agent a1 of Location Oslo was revoked'],
  [
    { kind: 'agent-upgraded', ...location, agentName: 'a1', version: '0.3.0', fault: null },
    'Agent a1 of Location Oslo runs version 0.3.0',
  ],
  [
    { kind: 'agent-upgraded', ...location, agentName: 'a1', version: '0.3.0', fault: 'the disk is full' },
    'Agent a1 of Location Oslo was not upgraded to version 0.3.0: the disk is full',
  ],
  [{ kind: 'alert', ...alert, text: 'HTTP 500' }, 'Alert device.down: HTTP 500'],
  [
    { kind: 'alert-failed', ...alert, contactName: 'NOC', reason: '410 Gone' },
    'Contact NOC was not notified of device.down: 410 Gone',
  ],
  [
    { kind: 'alert-suppressed', ...alert, reason: 'master', detail: 'its master gw is Down' },
    'No alert, because its master gw is Down',
  ],
])('the text of an event names its cause: %j', (cause, text) => {
  expect(kindOf(cause).text(cause)).toBe(text);
});
