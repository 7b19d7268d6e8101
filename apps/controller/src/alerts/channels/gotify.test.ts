import { expect, test } from 'vitest';
import {
  fullNotice,
  fullNoticeHeadline,
  fullNoticeLines,
  fullNoticeLinks,
  sentinels,
} from '../deliver/testing/channel-contract.ts';
import { type HttpReceiver, httpContract, requestOf } from '../deliver/testing/http-contract.ts';
import { createGotify } from './gotify.ts';

/** Answers as gotify.net describes them. */
const receiver: HttpReceiver = {
  channel: () => createGotify({ allowPrivate: true }),
  address: (base) => `${base.replace('://', `://me:${sentinels[0]}@`)}/base/`,
  secret: sentinels[2],
  answers: {
    delivers: [200, '{"id":25,"appid":5,"message":"…"}'],
    'refuses the message for now': [500, '{"error":"Internal Server Error"}'],
    'is gone': [401, '{"error":"Unauthorized","errorCode":401}'],
  },
};
httpContract('gotify', receiver);

test('the request is the documented one: JSON by POST to /message with X-Gotify-Key', async () => {
  const { path, headers, json, outcome } = await requestOf(receiver);
  expect(outcome).toEqual({ kind: 'delivered', text: 'HTTP 200 OK' });
  expect(path).toBe('/base/message');
  expect(headers).toMatchObject({ 'x-gotify-key': sentinels[2] });
  expect(json).toEqual({
    title: fullNoticeHeadline,
    message: [...fullNoticeLines, ...fullNoticeLinks].join('\n'),
    priority: 8,
    extras: { 'client::notification': { click: { url: 'https://vantage.example/links/a' } } },
  });
});

test('an end is not urgent, and a group has the priority of what begins', async () => {
  const up = { ...fullNotice, kind: 'device.up', links: null };
  const warning = { ...fullNotice, data: { ...fullNotice.data, Severity: 'warning' } };
  expect((await requestOf(receiver, [up])).json).toMatchObject({ priority: 3 });
  expect((await requestOf(receiver, [up, warning])).json).toMatchObject({ priority: 5 });
});

test.each([
  [199, 'again'],
  [200, 'delivered'],
  [299, 'delivered'],
  [300, 'again'],
  [399, 'again'],
  [500, 'again'],
])('an answer with status %i is %s', async (status, kind) => {
  const delivers = [status, '{"id":1}'] as const;
  const { outcome } = await requestOf({ ...receiver, answers: { ...receiver.answers, delivers } });
  expect(outcome.kind).toBe(kind);
  if (kind === 'again') expect(outcome.text.includes('redirects')).toBe(status >= 300 && status < 400);
});
