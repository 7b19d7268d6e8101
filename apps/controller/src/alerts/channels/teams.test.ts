import { expect, test } from 'vitest';
import {
  fullNotice,
  fullNoticeHeadline,
  fullNoticeLines,
  sentinels,
} from '../deliver/testing/channel-contract.ts';
import { type HttpReceiver, httpContract, requestOf } from '../deliver/testing/http-contract.ts';
import { createTeams } from './teams.ts';

const teams: HttpReceiver = {
  channel: () => createTeams({ allowPrivate: true }),
  address: (base) =>
    `${base}/workflows/0f0f/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=${sentinels[1]}`,
  secret: null,
  answers: {
    delivers: [202, ''],
    'refuses the message for now': [502, '{"error":{"code":"NoResponse"}}'],
    'is gone': [404, '{"error":{"code":"WorkflowNotFound"}}'],
  },
};
httpContract('teams', teams);

test('the request is the documented one: a message with one Adaptive Card', async () => {
  // The vendor's example: {"type": "message", "attachments": [{"contentType":
  // "application/vnd.microsoft.card.adaptive", "contentUrl": null, "content": {"$schema", "type": "AdaptiveCard",
  // "version": "1.2", "body": […]}}]}
  const { path, json, outcome } = await requestOf(teams);
  expect(outcome).toEqual({ kind: 'delivered', text: 'HTTP 202 Accepted' });
  expect(path).toContain(`&sig=${sentinels[1]}`);
  const line = (text: string) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] });
  expect(json).toEqual({
    type: 'message',
    summary: fullNoticeHeadline,
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.2',
          fallbackText: fullNoticeHeadline,
          body: [
            {
              type: 'RichTextBlock',
              inlines: [{ type: 'TextRun', text: fullNoticeHeadline, weight: 'bolder', size: 'medium' }],
            },
            ...fullNoticeLines.map(line),
          ],
          actions: [
            { type: 'Action.OpenUrl', title: 'Acknowledge', url: 'https://vantage.example/links/a' },
            { type: 'Action.OpenUrl', title: 'Snooze', url: 'https://vantage.example/links/s' },
            { type: 'Action.OpenUrl', title: 'Details', url: 'https://vantage.example/links/d' },
          ],
        },
      },
    ],
  });
});

test('a grouped card stays below the 28 kB of a message, also with characters of three bytes', async () => {
  const data = { ...fullNotice.data, ShortName: '漢'.repeat(30) };
  const { body } = await requestOf(
    teams,
    Array.from({ length: 2_000 }, () => ({ ...fullNotice, data })),
  );
  expect(Buffer.byteLength(body)).toBeLessThan(28_000);
  expect(body).toContain('2000 messages');
  expect(body).toMatch(/and 19\d\d more/);
  expect(body).not.toContain('Action.OpenUrl');
});
