import { expect, test } from 'vitest';
import {
  fullNoticeHeadline,
  fullNoticeLines,
  fullNoticeLinks,
  sentinels,
} from '../deliver/testing/channel-contract.ts';
import { type HttpReceiver, httpContract, requestOf } from '../deliver/testing/http-contract.ts';
import { createTelegram } from './telegram.ts';

const token = `123456:${sentinels[2]}`;

/** Answers as core.telegram.org/bots/api describes them. */
const telegram: HttpReceiver = {
  channel: (telegramUrl) => createTelegram({ allowPrivate: true, telegramUrl }),
  address: () => '-1001234567890',
  secret: token,
  answers: {
    delivers: [200, '{"ok":true,"result":{"message_id":1}}'],
    'refuses the message for now': [
      500,
      '{"ok":false,"error_code":500,"description":"Internal Server Error"}',
    ],
    'asks to wait an hour': [
      429,
      '{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 3600","parameters":{"retry_after":3600}}',
    ],
    'is gone': [403, '{"ok":false,"error_code":403,"description":"Forbidden: bot was kicked"}'],
  },
};
httpContract('telegram', telegram);

test('the request is the documented one: sendMessage with chat_id and text', async () => {
  // The vendor's form: https://api.telegram.org/bot<token>/METHOD; sendMessage needs chat_id (Integer or String) and
  // text (1-4096 characters).
  const { path, json, outcome } = await requestOf(telegram);
  expect(outcome).toEqual({ kind: 'delivered', text: 'HTTP 200 OK', messageId: '1' });
  expect(path).toBe(`/bot${token}/sendMessage`);
  expect(json).toEqual({
    chat_id: -1001234567890,
    text: [fullNoticeHeadline, ...fullNoticeLines, ...fullNoticeLinks].join('\n'),
    link_preview_options: { is_disabled: true },
  });
});

test('a later message of an alert replies to the first one, also where people deleted that one', async () => {
  const { json } = await requestOf(telegram, undefined, '1');
  expect(json).toMatchObject({ reply_parameters: { message_id: 1, allow_sending_without_reply: true } });
});

test.each([
  ['no JSON', 'ok'],
  ['no number', '{"ok":true,"result":{"message_id":"1"}}'],
  ['no message', '{"ok":true,"result":true}'],
])('an acceptance with %s is an acceptance, without a message to reply to', async (_, body) => {
  const answers = { ...telegram.answers, delivers: [200, body] } as const;
  expect((await requestOf({ ...telegram, answers })).outcome).toEqual({
    kind: 'delivered',
    text: 'HTTP 200 OK',
  });
});

test('a public channel is addressed by its name', async () => {
  const { json } = await requestOf({ ...telegram, address: () => '@operations' });
  expect(json).toMatchObject({ chat_id: '@operations' });
});
