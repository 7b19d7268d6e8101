import { expect, test } from 'vitest';
import { fullNotice, fullNoticeLines, sentinels } from '../testing/channel-contract.ts';
import { type HttpReceiver, httpContract, requestOf } from '../testing/http-contract.ts';
import { createSlack } from './slack.ts';

/** Answers as docs.slack.dev lists them for incoming webhooks. */
const slack: HttpReceiver = {
  channel: () => createSlack({ allowPrivate: true }),
  address: (base) => `${base}/services/T00000000/B00000000/${sentinels[1]}`,
  secret: null,
  answers: {
    delivers: [200, 'ok'],
    'refuses the message for now': [500, 'rollup_error'],
    'is gone': [404, 'no_service'],
  },
};
httpContract('slack', slack);

test('the request is the documented one: {"text": …} by POST to the address, answered with "ok"', async () => {
  // The vendor's example: POST https://hooks.slack.com/services/T…/B…/X…, Content-type: application/json, {"text": "Hello, world."}
  const { path, headers, json, outcome } = await requestOf(slack);
  expect(outcome).toEqual({ kind: 'delivered', text: 'HTTP 200 OK' });
  expect(path).toBe(`/services/T00000000/B00000000/${sentinels[1]}`);
  expect(headers).toMatchObject({ 'content-type': 'application/json' });
  expect(json).toEqual({
    text: [
      'web is Down.',
      ...fullNoticeLines,
      '<https://vantage.example/links/a|Acknowledge> | <https://vantage.example/links/s|Snooze>',
    ].join('\n'),
    ...{ unfurl_links: false, unfurl_media: false },
  });
});

test('a name can neither mention people nor make a link', async () => {
  const data = { ...fullNotice.data, ShortName: '<!channel> <https://evil.example|web> &amp;' };
  const { body } = await requestOf(slack, [{ ...fullNotice, links: null, data }]);
  expect(body).not.toMatch(/[<>]/);
  expect(body).toContain('&lt;!channel&gt; &lt;https://evil.example|web&gt; &amp;amp;');
});

test('a grouped message names what fits and counts the rest', async () => {
  const notices = Array.from({ length: 2_000 }, (_, n) => ({
    ...fullNotice,
    data: { ...fullNotice.data, ShortName: `device-${n}.` },
  }));
  const { body } = await requestOf(slack, notices);
  expect(body.length).toBeLessThan(40_000);
  expect(body).toContain('2000 messages: 2000 Down.');
  const named = body.match(/device-\d+\./g)?.length ?? 0;
  expect(named).toBeGreaterThan(80);
  expect(body).toContain(`and ${2_000 - named} more`);
});
