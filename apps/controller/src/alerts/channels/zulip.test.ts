import { expect, test } from 'vitest';
import { fullNotice, sentinels } from '../deliver/testing/channel-contract.ts';
import { type HttpReceiver, httpContract, requestOf } from '../deliver/testing/http-contract.ts';
import { createZulip } from './zulip.ts';

/** Answers as zulip.com/api describes them. */
const receiver: HttpReceiver = {
  channel: () => createZulip({ allowPrivate: true }),
  address: (base) =>
    `${base.replace('://', `://bot%40example.org:${sentinels[0]}@`)}/?to=operations&topic=Vantage`,
  secret: null,
  answers: {
    delivers: [200, '{"result":"success","id":42}'],
    'refuses the message for now': [500, ''],
    'is gone': [401, '{"result":"error","code":"INVALID_API_KEY"}'],
  },
};
httpContract('zulip', receiver);

test('the request is the documented form, with the bot as login', async () => {
  const { path, headers, body } = await requestOf(receiver);
  expect(path).toBe('/api/v1/messages');
  const login = Buffer.from(`bot@example.org:${sentinels[0]}`).toString('base64');
  expect(headers).toMatchObject({
    authorization: `Basic ${login}`,
    'content-type': 'application/x-www-form-urlencoded',
  });
  const form = new URLSearchParams(body);
  expect([form.get('type'), form.get('to'), form.get('topic')]).toEqual(['stream', 'operations', 'Vantage']);
  expect(form.get('content')).toMatch(
    /^\*\*web is Down: HTTP 500\\\. Down for 3 min, since 08:00:00 CET\\\.\*\*\n/,
  );
  const data = { ...fullNotice.data, ShortName: '@**all** [web](https://evil.example)' };
  const evil = new URLSearchParams((await requestOf(receiver, [{ ...fullNotice, data }])).body).get(
    'content',
  );
  expect(evil).not.toContain('@**');
  expect(evil).not.toContain('](https://evil');
});

test('a later message of an alert links to the first one, without the login', async () => {
  expect((await requestOf(receiver)).outcome).toMatchObject({ messageId: '42' });
  const address = (base: string) => receiver.address(base).replace('/?', '/zulip/?');
  const { body, path } = await requestOf({ ...receiver, address }, undefined, '42');
  expect(path).toBe('/zulip/api/v1/messages');
  expect(new URLSearchParams(body).get('content')).toMatch(
    /\n\[First message of this alert\]\(http:\/\/127\.0\.0\.1:\d+\/zulip\/#narrow\/id\/42\)$/,
  );
});
