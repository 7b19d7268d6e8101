import { expect, test } from 'vitest';
import { fullNotice, sentinels } from '../deliver/testing/channel-contract.ts';
import { type HttpReceiver, httpContract, requestOf } from '../deliver/testing/http-contract.ts';
import { createMattermost } from './mattermost.ts';

/** Answers as developers.mattermost.com describes them. */
const receiver: HttpReceiver = {
  channel: () => createMattermost({ allowPrivate: true }),
  address: (base) => `${base}/hooks/${sentinels[1]}`,
  secret: null,
  answers: {
    delivers: [200, 'ok'],
    'refuses the message for now': [500, '{"id":"web.incoming_webhook.general.app_error"}'],
    'is gone': [400, '{"id":"web.incoming_webhook.invalid.app_error"}'],
  },
};
httpContract('mattermost', receiver);

test('the request is {"text": Markdown}, in which a name formats and mentions nothing', async () => {
  const { path, json } = await requestOf(receiver);
  expect(path).toBe(`/hooks/${sentinels[1]}`);
  expect(json).toMatchObject({
    text: expect.stringMatching(
      /^\*\*web is Down: HTTP 500\\\. Down for 3 min, since 08:00:00 CET\\\.\*\*\n/,
    ),
  });
  expect(JSON.stringify(json)).toContain('[Acknowledge](https://vantage.example/links/a)');
  const data = { ...fullNotice.data, ShortName: '@channel [web](https://evil.example)' };
  const { body } = await requestOf(receiver, [{ ...fullNotice, data }]);
  expect(body).not.toContain('@channel');
  expect(body).not.toContain('](https://evil');
});
