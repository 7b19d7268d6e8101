import { expect, test } from 'vitest';
import { fullNotice, sentinels } from '../deliver/testing/channel-contract.ts';
import { type HttpReceiver, httpContract, requestOf } from '../deliver/testing/http-contract.ts';
import { createRocketChat } from './rocketchat.ts';

/** Answers as docs.rocket.chat describes them. */
const receiver: HttpReceiver = {
  channel: () => createRocketChat({ allowPrivate: true }),
  address: (base) => `${base}/hooks/0000/${sentinels[1]}`,
  secret: null,
  answers: {
    delivers: [200, '{"success":true}'],
    'refuses the message for now': [503, ''],
    'is gone': [404, '{"success":false,"error":"Invalid integration id or token provided."}'],
  },
};
httpContract('rocketchat', receiver);

test('the request is a text in which a name formats and mentions nothing', async () => {
  const { path, json } = await requestOf(receiver);
  expect(path).toBe(`/hooks/0000/${sentinels[1]}`);
  expect(json).toMatchObject({
    text: expect.stringMatching(/^web is Down: HTTP 500\. Down for 3 min[^\n]*\n/),
    parseUrls: false,
  });
  expect(JSON.stringify(json)).toContain('Acknowledge: https://vantage.example/links/a');
  const data = { ...fullNotice.data, ShortName: '@all *web* `x`' };
  const { body } = await requestOf(receiver, [{ ...fullNotice, data }]);
  expect(body).not.toMatch(/@all|\*web\*|`x`/);
});
