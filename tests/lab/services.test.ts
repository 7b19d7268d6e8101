import { describe, expect, it } from 'vitest';
import { acceptedTwice, falseEnds, openIncidents } from './ends.ts';
import { incident, type ServiceMessage, serviceMessages } from './service-messages.ts';
import { createTruth } from './truth.ts';

const received = (
  contact: string,
  text: unknown,
  more: { path?: string; status?: number; id?: string } = {},
) => ({
  contact,
  path: more.path ?? '',
  id: more.id ?? 'm1',
  text: typeof text === 'string' ? text : JSON.stringify(text),
  status: more.status ?? 200,
  atMs: Date.parse('2027-01-01T00:00:00Z'),
});
const types = new Map([
  ['pd', 'pagerduty'],
  ['am', 'alertmanager'],
  ['jsm', 'jsm'],
  ['chat', 'slack'],
  ['hook', 'webhook'],
]);
const said = (...all: ReturnType<typeof received>[]) =>
  serviceMessages(all, types).map(({ contact, what, about }) => `${contact} ${what} ${about}`);

describe('what a service was told', () => {
  it('is read by the public form of the service, and an incident keeps the name with which it opened', () => {
    const alert = (endsAt: string) => [
      {
        labels: { alert_id: 'a1' },
        annotations: { summary: 'dev-1 is Down: refused' },
        startsAt: '2026-12-31T23:00:00Z',
        endsAt,
      },
    ];
    expect(
      said(
        received('pd', { event_action: 'trigger', dedup_key: 'a1', payload: { source: 'dev-1' } }),
        received('pd', { event_action: 'resolve', dedup_key: 'a1' }),
        received('am', alert('2027-02-01T00:00:00Z')),
        received('am', alert('2027-01-01T00:00:00Z')),
        received('jsm', { alias: 'a1', entity: 'dev-1' }, { path: 'v2/alerts' }),
        received('jsm', { note: 'paused' }, { path: 'v2/alerts/a1/close?identifierType=alias' }),
        received('hook', { type: 'contact.failing', data: { Contact: 'anna' } }),
      ),
    ).toEqual([
      `pd ${incident.opens} dev-1`,
      `pd ${incident.ends} dev-1`,
      `am ${incident.opens} dev-1`,
      `am ${incident.ends} dev-1`,
      `jsm ${incident.opens} dev-1`,
      `jsm ${incident.ends} dev-1`,
      'hook contact.failing anna',
    ]);
  });

  it('counts each line of a grouped text, no test, and nothing that was refused; what cannot be read is named', () => {
    const text = [
      '2 messages: 1 Down, 1 Up again.',
      'dev-1 is Down: refused (since 00:00:00 UTC)',
      'dev-2 is Up again (since 00:00:00 UTC, after 3 min)',
    ].join('\n');
    expect(
      said(
        received('chat', { text }),
        received('chat', { text: 'Test message of Vantage.' }),
        received('chat', { text: 'dev-3 flaps: 3 outages.' }, { status: 503 }),
        received('chat', 'no JSON'),
      ),
    ).toEqual(['chat device.down dev-1', 'chat device.up dev-2', 'chat unreadable no JSON']);
  });
});

const message = (what: string, more: Partial<ServiceMessage> = {}): ServiceMessage => ({
  contact: 'pd',
  what,
  about: 'dev-1',
  key: 'a1',
  id: 'm1',
  text: '',
  atMs: 0,
  ...more,
});

describe('what must never be', () => {
  it('an end while the device is Down for longer than two minutes, but for one that was let go', () => {
    let nowMs = 1000;
    const truth = createTruth(() => nowMs);
    truth.begin('dev-1', 'down', 'self');
    nowMs = 9000;
    truth.end('dev-1', 'down', 'self');
    expect([500, 1000, 8500, 9000, 9001].map((atMs) => truth.downForMs('dev-1', atMs))).toEqual([
      0, 0, 7500, 8000, 0,
    ]);
    const downForMs = (name: string, atMs: number) => truth.downForMs(name, atMs);
    const rule = { downForMs, mostMs: 6000, released: new Set<string>() };
    const ends = [incident.ends, 'device.up', 'device.flapping'].map((what) => message(what, { atMs: 8500 }));
    expect(falseEnds(ends, rule)).toEqual([
      'FALSE END: pd incident.ends dev-1 after 7.5 s Down',
      'FALSE END: pd device.up dev-1 after 7.5 s Down',
    ]);
    expect(falseEnds(ends, { ...rule, released: new Set(['dev-1']) })).toEqual([]);
    expect(
      falseEnds([message('device.up', { atMs: 6500 }), message('device.up', { atMs: 9500 })], rule),
    ).toEqual([]);
  });

  it('an incident that stays open, an end without a begin, and a message that was accepted twice', () => {
    const begin = message(incident.opens);
    const end = message(incident.ends, { id: 'm2' });
    expect(openIncidents([begin, end])).toEqual([]);
    expect(openIncidents([begin, end, begin])).toEqual(['pd: the incident about dev-1 stays open']);
    expect(openIncidents([end])).toEqual(['pd: an incident about dev-1 ends that never began']);
    expect(acceptedTwice([begin, end])).toEqual([]);
    expect(acceptedTwice([begin, end, begin])).toEqual(['pd: incident.opens dev-1 was accepted twice (m1)']);
  });
});
