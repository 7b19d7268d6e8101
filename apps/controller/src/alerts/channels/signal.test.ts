import { expect, test } from 'vitest';
import { sentinels } from '../deliver/testing/channel-contract.ts';
import { type HttpReceiver, httpContract, requestOf } from '../deliver/testing/http-contract.ts';
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

test('a later message of an alert quotes the first one by its time and author', async () => {
  expect((await requestOf(receiver)).outcome).toMatchObject({ messageId: '1732000000000' });
  const { json } = await requestOf(receiver, undefined, '1732000000000');
  expect(json).toMatchObject({
    quote_timestamp: 1_732_000_000_000,
    quote_author: '+4712345678',
    quote_message: expect.stringMatching(/^Outage of web since /),
  });
});

test('an answer whose time is no number of milliseconds names no message', async () => {
  for (const timestamp of ['', '-1', '1e5', '1'.repeat(16), 5]) {
    const delivers = [201, JSON.stringify({ timestamp })] as const;
    const { outcome } = await requestOf({ ...receiver, answers: { ...receiver.answers, delivers } });
    expect(outcome).toEqual({ kind: 'delivered', text: 'HTTP 201 Created' });
  }
});
