import { expect, test } from 'vitest';
import {
  fullNotice,
  fullNoticeHeadline,
  fullNoticeLines,
  fullNoticeLinks,
  sentinels,
} from '../deliver/testing/channel-contract.ts';
import { type HttpReceiver, httpContract, requestOf } from '../deliver/testing/http-contract.ts';
import { createAlertmanager } from './alertmanager.ts';
import type { Notice } from './channel.ts';

/** Answers as api/v2/openapi.yaml of the Alertmanager lists them for POST /alerts. */
const alertmanager: HttpReceiver = {
  channel: () => createAlertmanager({ allowPrivate: true }),
  address: (base) => `${base}/am/?token=${sentinels[1]}`,
  secret: sentinels[2],
  answers: {
    delivers: [200, ''],
    'refuses the message for now': [500, '"internal error"'],
    'is gone': [400, '"start time must be before end time"'],
  },
};
httpContract('alertmanager', alertmanager);

const labels = {
  alertname: 'VantageDevice',
  severity: 'critical',
  service: 'vantage',
  alert_id: 'a'.repeat(48),
  device_id: 'd'.repeat(48),
};

test('the request is the documented one: a list of one alert with labels, annotations and times', async () => {
  // The vendor's definition: postableAlerts = [{labels (required), annotations, startsAt, endsAt, generatorURL}], times
  // as RFC 3339.
  const { path, headers, json, outcome } = await requestOf(alertmanager);
  expect(outcome).toEqual({ kind: 'delivered', text: 'HTTP 200 OK' });
  expect(path).toBe(`/am/api/v2/alerts?token=${sentinels[1]}`);
  expect(headers).toMatchObject({ authorization: `Bearer ${sentinels[2]}` });
  expect(json).toEqual([
    {
      labels,
      annotations: {
        summary: 'web is Down: HTTP 500',
        description: [fullNoticeHeadline, ...fullNoticeLines, ...fullNoticeLinks].join('\n'),
      },
      generatorURL: 'https://vantage.example/links/d',
      startsAt: '2026-11-22T08:00:00+01:00',
      endsAt: '2026-12-22T07:00:00.000Z',
    },
  ]);
});

test('the end of an alert has the labels of its begin, also after the device was renamed', async () => {
  const data = { ...fullNotice.data, ShortName: 'www', Status: 'Up' };
  const up = { ...fullNotice, kind: 'device.up', timestamp: '2026-11-22T09:30:00+01:00', data, links: null };
  const { json } = await requestOf(alertmanager, [up]);
  expect(json).toMatchObject([
    { labels, startsAt: '2026-11-22T08:00:00+01:00', endsAt: '2026-11-22T09:30:00+01:00' },
  ]);
});

test('the end of device.partial, which is device.up, has the labels of its begin too', async () => {
  const { json } = await requestOf(alertmanager, [{ ...fullNotice, kind: 'device.partial' }]);
  expect(json).toMatchObject([{ labels }]);
});

test.each<[string, Notice['data'], string]>([
  ['a device', { AlertKind: 'device.down' }, 'VantageDevice'],
  ['a device, by a version before', {}, 'VantageDevice'],
  ['a Location', { AlertKind: 'location.offline', device_id: null }, 'VantageLocation'],
  ['a Location, by a version before', { device_id: null }, 'VantageLocation'],
  ['an anchor, by a version before', { device_id: null, Target: '192.0.2.1' }, 'VantageAnchor'],
])(
  'an alert about %s that closes without an end has the labels of its begin, so that it ends',
  async (_, more, alertname) => {
    const data = { ...fullNotice.data, ...more, Reason: 'device paused' };
    const { json } = await requestOf(alertmanager, [{ ...fullNotice, kind: 'closed', data, links: null }]);
    expect(json).toMatchObject([{ labels: { alertname }, endsAt: fullNotice.timestamp }]);
  },
);

test('what has no end ends by the resolve_timeout of the Alertmanager', async () => {
  const { json } = await requestOf(alertmanager, [{ ...fullNotice, kind: 'certificate.expiring' }]);
  expect(json).toMatchObject([{ labels: { alertname: 'Vantage certificate.expiring' } }]);
  expect(JSON.stringify(json)).not.toContain('endsAt');
});
