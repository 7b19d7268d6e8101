import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  fullNotice,
  fullNoticeHeadline,
  fullNoticeLines,
  sentinels,
} from '../deliver/testing/channel-contract.ts';
import { type HttpReceiver, httpContract, requestOf } from '../deliver/testing/http-contract.ts';
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

test('the request is the documented one: a text, and an attachment with a color whose blocks are plain text and link buttons', async () => {
  // The vendor's examples: POST https://hooks.slack.com/services/T…/B…/X…, Content-type: application/json, {"text":
  // "Hello, world."}; attachments: [{color: "#f2c744", blocks: [{type: "section", text: {type, text}}]}]; a button has
  // text, url, action_id and style.
  const { path, headers, json, outcome } = await requestOf(slack);
  expect(outcome).toEqual({ kind: 'delivered', text: 'HTTP 200 OK' });
  expect(path).toBe(`/services/T00000000/B00000000/${sentinels[1]}`);
  expect(headers).toMatchObject({ 'content-type': 'application/json' });
  const text = (text: string) => ({ type: 'plain_text', text, emoji: false });
  const button = (label: string, url: string, place: number) => ({
    type: 'button',
    text: text(label),
    url,
    action_id: `link-${place}`,
    ...(place === 0 ? { style: 'primary' } : {}),
  });
  expect(json).toEqual({
    text: fullNoticeHeadline,
    attachments: [
      {
        color: '#d0342c',
        fallback: fullNoticeHeadline,
        blocks: [
          { type: 'section', text: text(fullNoticeLines.join('\n')) },
          {
            type: 'actions',
            elements: [
              button('Acknowledge', 'https://vantage.example/links/a', 0),
              button('Snooze', 'https://vantage.example/links/s', 1),
              button('Details', 'https://vantage.example/links/d', 2),
            ],
          },
        ],
      },
    ],
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
  });
});

test('a name can neither mention people nor make a link', async () => {
  const data = { ...fullNotice.data, ShortName: '<!channel> <https://evil.example|web> *b* _i_ ~s~ &amp;' };
  const { body } = await requestOf(slack, [{ ...fullNotice, links: null, data }]);
  expect(body).not.toMatch(/[<>]/);
  expect(body).toContain('&lt;!channel&gt; &lt;https://evil.example|web&gt; *b* _i_ ~s~ &amp;amp;');
  // Nothing that Slack formats: `* _ ~` are marks in the type mrkdwn only.
  expect(body).toContain('"mrkdwn":false');
  expect(body).not.toContain('"type":"mrkdwn"');
});

const grouped = z.object({
  attachments: z.array(z.object({ blocks: z.array(z.object({ text: z.object({ text: z.string() }) })) })),
});

test('a grouped message names what fits and counts the rest', async () => {
  const notices = Array.from({ length: 2_000 }, (_, n) => ({
    ...fullNotice,
    data: { ...fullNotice.data, ShortName: `device-${n}.` },
  }));
  const { body, json } = await requestOf(
    slack,
    notices.map((notice) => ({ ...notice, links: null })),
  );
  expect(body.length).toBeLessThan(40_000);
  expect(body).toContain('2000 messages: 2000 Down.');
  const { attachments } = grouped.parse(json);
  const blocks = attachments.flatMap((one) => one.blocks);
  expect(blocks.length).toBeLessThanOrEqual(50);
  for (const { text } of blocks) expect(text.text.length).toBeLessThanOrEqual(3_000);
  const named = body.match(/device-\d+\./g)?.length ?? 0;
  expect(named).toBeGreaterThan(80);
  expect(body).toContain(`and ${2_000 - named} more`);
});
