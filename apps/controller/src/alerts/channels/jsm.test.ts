import { expect, test } from 'vitest';
import {
  fullNotice,
  fullNoticeHeadline,
  fullNoticeLines,
  fullNoticeLinks,
  sentinels,
} from '../deliver/testing/channel-contract.ts';
import { type HttpReceiver, httpContract, requestOf } from '../deliver/testing/http-contract.ts';
import { createJsm } from './jsm.ts';

/** Answers as developer.atlassian.com lists them for the integration events. */
const jsm: HttpReceiver = {
  channel: () => createJsm({ allowPrivate: true }),
  address: (base) => `${base.replace('://', `://me:${sentinels[0]}@`)}/jsm/ops/integration/v2/alerts`,
  secret: sentinels[2],
  answers: {
    delivers: [202, '{"result":"Request will be processed","requestId":"43a29c5c-0000","took":0.1}'],
    'refuses the message for now': [503, ''],
    'is gone': [403, '{"message":"You are not authorized"}'],
  },
};
httpContract('jsm', jsm);

const alertId = 'a'.repeat(48);

test('the request is the documented one: an alert that begins is created under its alias', async () => {
  // The vendor's example: POST …/jsm/ops/integration/v2/alerts, Authorization: GenieKey {apiKey},
  // {message, alias, description, responders, visibleTo, actions, tags, details, entity, source, priority}.
  const { path, headers, json, outcome } = await requestOf(jsm);
  expect(outcome).toEqual({ kind: 'delivered', text: 'HTTP 202 Accepted' });
  expect(path).toBe('/jsm/ops/integration/v2/alerts');
  expect(headers).toMatchObject({
    authorization: `GenieKey ${sentinels[2]}`,
    'content-type': 'application/json',
  });
  expect(json).toEqual({
    message: 'web is Down: HTTP 500',
    alias: alertId,
    entity: 'web',
    source: 'Vantage',
    tags: ['device.down'],
    priority: 'P1',
    description: [fullNoticeHeadline, ...fullNoticeLines, ...fullNoticeLinks].join('\n'),
    details: {
      What: 'Web server (web), HTTP https://me:***@www.example.org/, severity critical',
      'From where': 'fails from Oslo',
    },
  });
});

test('an alert that ends is closed by its alias', async () => {
  const { path, json } = await requestOf(jsm, [{ ...fullNotice, kind: 'device.up', links: null }]);
  expect(path).toBe(`/jsm/ops/integration/v2/alerts/${alertId}/close?identifierType=alias`);
  expect(json).toEqual({ source: 'Vantage', note: 'web is Up again: HTTP 500' });
});

test('an acknowledgement acknowledges the alert, with who and why', async () => {
  const data = { ...fullNotice.data, By: 'deploy', Note: 'on it' };
  const { path, json } = await requestOf(jsm, [{ ...fullNotice, kind: 'acknowledged', data, links: null }]);
  expect(path).toBe(`/jsm/ops/integration/v2/alerts/${alertId}/acknowledge?identifierType=alias`);
  expect(json).toEqual({ source: 'Vantage', note: 'Acknowledged by deploy: on it' });
});

test('a message has at most 130 characters', async () => {
  const data = { ...fullNotice.data, ShortName: 'w'.repeat(200) };
  const { json } = await requestOf(jsm, [{ ...fullNotice, data }]);
  expect(json).toMatchObject({ message: expect.stringMatching(/^w{130}$/) });
});
