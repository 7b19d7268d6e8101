import { z } from 'zod';
import type { Channel, Notice } from './channel.ts';
import { chatText } from './chat-text.ts';
import { createHttpChannel, type HttpChannelSettings, jsonHeaders } from './http-channel.ts';

/** A message of Teams has at most 28 kB; a character needs up to three bytes. */
const maxTextLength = 5_000;

const stored = z.object({ card: z.json(), summary: z.string().optional() });

/**
 * Microsoft Teams by a workflow that starts "when a Teams webhook request is received". It accepts a message with one
 * Adaptive Card (adaptivecards.io, schema 1.2), answers 202, and 429 with Retry-After. The signature in the address is
 * the credential. `summary` and `fallbackText` are for previews: not every program of Teams shows them, some show the
 * first line of the card.
 */
export function createTeams(settings: HttpChannelSettings): Channel {
  return createHttpChannel(settings, {
    compose: (notices) => ({ card: cardOf(notices), summary: chatText(notices, maxTextLength).title }),
    requestOf: ({ message, to }) => {
      const { card: content, summary } = stored.parse(message);
      const contentType = 'application/vnd.microsoft.card.adaptive';
      const body = JSON.stringify({
        type: 'message',
        summary,
        attachments: [{ contentType, contentUrl: null, content }],
      });
      return { url: new URL(to.address), headers: jsonHeaders(), body };
    },
    gone: [401, 404, 410],
  });
}

function cardOf(notices: readonly Notice[]) {
  const { title, lines, links } = chatText(notices, maxTextLength);
  const actions = links.map(({ label, url }) => ({ type: 'Action.OpenUrl', title: label, url }));
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.2',
    fallbackText: title,
    body: [textLine(title, { weight: 'bolder', size: 'medium' }), ...lines.map((line) => textLine(line, {}))],
    ...(actions.length === 0 ? {} : { actions }),
  };
}

/** A TextBlock reads Markdown, a TextRun does not: a name can make neither a link nor an image. */
function textLine(text: string, style: { readonly weight?: string; readonly size?: string }) {
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text, ...style }] };
}
