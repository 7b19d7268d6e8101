import { expect, test } from 'vitest';
import { sentinels } from '../testing/channel-contract.ts';
import { type HttpReceiver, httpContract, requestOf } from '../testing/http-contract.ts';
import { createSignal } from './signal.ts';

/** Answers as github.com/bbernhard/signal-cli-rest-api describes them. */
const receiver: HttpReceiver = {
  channel: () => createSignal({ allowPrivate: true }),
  address: (base) => `${base}/?number=%2B4712345678&to=%2B4787654321&to=group.abc`,
  secret: sentinels[2],
  answers: {
    delivers: [201, '{"timestamp":"1732000000000"}'],
    'refuses the message for now': [500, ''],
    'is gone': [400, '{"error":"Specified account does not exist"}'],
  },
};
httpContract('signal', receiver);

test('the request is the documented one: message, number and recipients', async () => {
  const { path, headers, json } = await requestOf(receiver);
  expect(path).toBe('/v2/send');
  expect(headers).toMatchObject({ authorization: `Bearer ${sentinels[2]}` });
  expect(json).toEqual({
    message: expect.stringMatching(
      /^web is Down: HTTP 500\. [^\n]*\n[\s\S]*\nSnooze: https:\/\/vantage\.example\/links\/s\n/,
    ),
    number: '+4712345678',
    recipients: ['+4787654321', 'group.abc'],
  });
});
