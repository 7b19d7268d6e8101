import { expect, test } from 'vitest';
import {
  fullNotice,
  fullNoticeHeadline,
  fullNoticeLines,
  sentinels,
} from '../deliver/testing/channel-contract.ts';
import { type HttpReceiver, httpContract, requestOf } from '../deliver/testing/http-contract.ts';
import { createPagerDuty } from './pagerduty.ts';

/** Answers as developer.pagerduty.com lists them for POST /v2/enqueue. */
const pagerduty: HttpReceiver = {
  channel: () => createPagerDuty({ allowPrivate: true }),
  address: (base) => `${base.replace('://', `://me:${sentinels[0]}@`)}/v2/enqueue`,
  secret: sentinels[2],
  answers: {
    delivers: [202, '{"status":"success","message":"Event processed","dedup_key":"srv01/HTTP"}'],
    'refuses the message for now': [500, ''],
    'is gone': [400, '{"status":"invalid event","message":"Event object is invalid","errors":["…"]}'],
  },
};
httpContract('pagerduty', pagerduty);

const alertId = 'a'.repeat(48);

/** The message in words, then the facts as programs read them. */
const details = {
  Now: fullNoticeHeadline,
  ...Object.fromEntries(fullNoticeLines.map((line) => line.split(': ', 2))),
  ...fullNotice.data,
};

test('the request is the documented one: an alert that begins triggers an incident', async () => {
  // The vendor's example has payload {summary, timestamp, severity, source, component, group, class, custom_details},
  // routing_key, dedup_key, links [{href, text}], event_action "trigger", client and client_url.
  const { path, json, outcome } = await requestOf(pagerduty);
  expect(outcome).toEqual({ kind: 'delivered', text: 'HTTP 202 Accepted' });
  expect(path).toBe('/v2/enqueue');
  expect(json).toEqual({
    routing_key: sentinels[2],
    event_action: 'trigger',
    dedup_key: alertId,
    client: 'Vantage',
    client_url: 'https://vantage.example/links/d',
    payload: {
      summary: 'web is Down: HTTP 500',
      timestamp: '2026-11-22T08:00:00+01:00',
      severity: 'critical',
      source: 'web',
      class: 'device.down',
      custom_details: details,
    },
    links: [
      { href: 'https://vantage.example/links/a', text: 'Acknowledge' },
      { href: 'https://vantage.example/links/s', text: 'Snooze' },
      { href: 'https://vantage.example/links/d', text: 'Details' },
    ],
  });
});

test('an alert that ends resolves the incident of the same dedup_key', async () => {
  const { json } = await requestOf(pagerduty, [{ ...fullNotice, kind: 'device.up', links: null }]);
  expect(json).toEqual({ routing_key: sentinels[2], event_action: 'resolve', dedup_key: alertId });
});

test('an acknowledgement acknowledges the incident', async () => {
  const { json } = await requestOf(pagerduty, [{ ...fullNotice, kind: 'acknowledged', links: null }]);
  expect(json).toEqual({ routing_key: sentinels[2], event_action: 'acknowledge', dedup_key: alertId });
});

test('a message without an alert has the id of the notification as its dedup_key', async () => {
  const { json } = await requestOf(pagerduty, [{ ...fullNotice, kind: 'test', links: null, data: {} }]);
  expect(json).toMatchObject({
    event_action: 'trigger',
    dedup_key: 'e'.repeat(48),
    payload: { source: 'Vantage' },
  });
});

test.each([
  ['critical', 'critical'],
  ['warning', 'warning'],
  ['info', 'info'],
  ['of a later version', 'critical'],
])('severity %s is sent as %s', async (Severity, severity) => {
  const { json } = await requestOf(pagerduty, [{ ...fullNotice, data: { ...fullNotice.data, Severity } }]);
  expect(json).toMatchObject({ payload: { severity } });
});

test('past outages of one message all stand in the details', async () => {
  const outage = {
    ShortName: 'web',
    Start: '2026-11-22T08:28:06+01:00',
    End: '2026-11-22T08:40:06+01:00',
    Seconds: 720,
  };
  const data = { ...fullNotice.data, Count: 2, Outages: [outage, { ...outage, ShortName: 'mail' }] };
  const { json } = await requestOf(pagerduty, [{ ...fullNotice, kind: 'late.summary', links: null, data }]);
  expect(json).toMatchObject({
    payload: { custom_details: { Outage: expect.stringMatching(/web.*; mail/) } },
  });
});
