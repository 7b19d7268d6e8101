import { expect, test } from 'vitest';
import { fullNotice, fullNoticeHeadline, sentinels } from '../deliver/testing/channel-contract.ts';
import { type HttpReceiver, httpContract, requestOf } from '../deliver/testing/http-contract.ts';
import { createDiscord } from './discord.ts';

/** Answers as discord.com/developers/docs describes them. */
const receiver: HttpReceiver = {
  channel: () => createDiscord({ allowPrivate: true }),
  address: (base) => `${base}/api/webhooks/0000/${sentinels[1]}`,
  secret: null,
  answers: {
    delivers: [204, ''],
    'refuses the message for now': [500, '{"message": "500: Internal Server Error", "code": 0}'],
    'is gone': [404, '{"message": "Unknown Webhook", "code": 10015}'],
  },
};
httpContract('discord', receiver);

test('the request is an embed with color, facts and links, and mentions nobody', async () => {
  const { path, json, outcome } = await requestOf(receiver);
  expect(outcome).toEqual({ kind: 'delivered', text: 'HTTP 204 No Content' });
  expect(path).toBe(`/api/webhooks/0000/${sentinels[1]}`);
  expect(json).toEqual({
    embeds: [{ title: fullNoticeHeadline, description: expect.any(String), color: 0xd0342c }],
    allowed_mentions: { parse: [] },
  });
  expect(JSON.stringify(json)).toContain('[Acknowledge](https://vantage.example/links/a)');
});

test('an end is green, a name formats nothing, and an embed stays within 4,096 characters', async () => {
  const data = { ...fullNotice.data, FullName: '**bold** [web](https://evil.example)' };
  const { body } = await requestOf(receiver, [{ ...fullNotice, kind: 'device.up', data }]);
  expect(body).toContain(String(0x2e8540));
  expect(body).not.toContain('](https://evil');
  const many = Array.from({ length: 500 }, () => ({
    ...fullNotice,
    data: { ...data, ShortName: '*'.repeat(50) },
  }));
  const { json } = await requestOf(receiver, many);
  expect(json).toMatchObject({ embeds: [{ description: expect.stringMatching(/and \d+ more$/) }] });
  const text = JSON.stringify(json);
  expect(text.length).toBeLessThan(2 * 4_096);
});
