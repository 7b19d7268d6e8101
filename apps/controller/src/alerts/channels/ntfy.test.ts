import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  fullNotice,
  fullNoticeHeadline,
  fullNoticeLines,
  sentinels,
} from '../deliver/testing/channel-contract.ts';
import { type HttpReceiver, httpContract, requestOf } from '../deliver/testing/http-contract.ts';
import { createNtfy } from './ntfy.ts';

/** Answers as docs.ntfy.sh describes them, and as its server writes errors. */
const ntfy: HttpReceiver = {
  channel: () => createNtfy({ allowPrivate: true }),
  address: (base) => `${base}/base/${sentinels[1]}`,
  secret: sentinels[2],
  answers: {
    delivers: [200, '{"id":"sPs71M8A2T","time":1643935928,"event":"message","topic":"mytopic"}'],
    'refuses the message for now': [507, '{"code":50701,"http":507,"error":"insufficient storage"}'],
    'is gone': [403, '{"code":40301,"http":403,"error":"forbidden"}'],
  },
};
httpContract('ntfy', ntfy);

test('the request is the documented one: JSON by POST to the root, with the topic in it', async () => {
  // The vendor's example: POST / {"topic", "message", "title", "tags": [..], "priority": 4, "actions": [{"action":
  // "view", "label", "url"}]}
  const { path, headers, json, outcome } = await requestOf(ntfy);
  expect(outcome).toEqual({ kind: 'delivered', text: 'HTTP 200 OK' });
  expect(path).toBe('/base/');
  expect(headers).toMatchObject({ authorization: `Bearer ${sentinels[2]}` });
  expect(json).toEqual({
    topic: sentinels[1],
    title: fullNoticeHeadline,
    tags: ['rotating_light'],
    priority: 5,
    message: [...fullNoticeLines].join('\n'),
    actions: [
      { action: 'view', label: 'Acknowledge', url: 'https://vantage.example/links/a' },
      { action: 'view', label: 'Snooze', url: 'https://vantage.example/links/s' },
      { action: 'view', label: 'Details', url: 'https://vantage.example/links/d' },
    ],
  });
});

test('a grouped message has the priority of what begins, and stays below 4,096 bytes', async () => {
  const up = { ...fullNotice, kind: 'device.up' };
  const warning = {
    ...fullNotice,
    data: { ...fullNotice.data, ShortName: '漢'.repeat(50), Severity: 'warning' },
  };
  const { json } = await requestOf(ntfy, [up, ...Array.from({ length: 200 }, () => warning)]);
  expect(json).toMatchObject({
    priority: 4,
    tags: ['rotating_light'],
    title: expect.stringContaining('201 messages'),
  });
  expect(Buffer.byteLength(z.object({ message: z.string() }).parse(json).message)).toBeLessThan(4_096);
  expect((await requestOf(ntfy, [up])).json).toMatchObject({ priority: 3, tags: ['white_check_mark'] });
});
