import { expect, test } from 'vitest';
import {
  fullNotice,
  fullNoticeHeadline,
  fullNoticeLines,
  sentinels,
} from '../deliver/testing/channel-contract.ts';
import { type HttpReceiver, httpContract, requestOf } from '../deliver/testing/http-contract.ts';
import { createPushover } from './pushover.ts';

/** Answers as pushover.net/api describes them. */
const receiver: HttpReceiver = {
  channel: () => createPushover({ allowPrivate: true }),
  address: (base) => `${base}/1/messages.json?user_key=${sentinels[1]}`,
  secret: sentinels[2],
  answers: {
    delivers: [200, '{"status":1,"request":"647d2300"}'],
    'refuses the message for now': [500, ''],
    'is gone': [400, '{"user":"invalid","errors":["user identifier is invalid"],"status":0}'],
  },
};
httpContract('pushover', receiver);

test('the request is the documented one: token, user, title, message, priority, url', async () => {
  const { path, json } = await requestOf(receiver);
  expect(path).toBe('/1/messages.json');
  expect(json).toEqual({
    token: sentinels[2],
    user: sentinels[1],
    title: fullNoticeHeadline,
    priority: 1,
    message: fullNoticeLines.join('\n'),
    url: 'https://vantage.example/links/a',
    url_title: 'Acknowledge',
  });
  const many = Array.from({ length: 100 }, () => fullNotice);
  const group = JSON.stringify((await requestOf(receiver, many)).json);
  expect(group.length).toBeLessThan(1_500);
  expect(group).toMatch(/and \d+ more/);
});
