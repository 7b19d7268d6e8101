import { z } from 'zod';
import type { Channel, Notice } from './channel.ts';
import { chatText } from './chat-text.ts';
import { createHttpChannel, type HttpSettings, jsonHeaders } from './http-channel.ts';

/** A message of Teams has at most 28 kB; a character needs up to three bytes. */
const longestText = 5_000;

const stored = z.object({ card: z.json() });

/**
 * Microsoft Teams by a workflow that starts "when a Teams webhook request is received". It accepts a message with one Adaptive Card
 * (adaptivecards.io, schema 1.2), answers 202, and 429 with Retry-After. The signature in the address is the credential.
 */
export function createTeams(settings: HttpSettings): Channel {
  return createHttpChannel(settings, {
    compose: (notices) => ({ card: cardOf(notices) }),
    requestOf: ({ message, to }) => {
      const { card: content } = stored.parse(message);
      const contentType = 'application/vnd.microsoft.card.adaptive';
      const body = JSON.stringify({
        type: 'message',
        attachments: [{ contentType, contentUrl: null, content }],
      });
      return { url: new URL(to.address), headers: jsonHeaders(), body };
    },
    gone: [401, 404, 410],
  });
}

function cardOf(notices: readonly Notice[]) {
  const { title, lines } = chatText(notices, longestText);
  const links = notices.length === 1 ? notices[0]?.links : null;
  const open = (name: string, url: string) => ({ type: 'Action.OpenUrl', title: name, url });
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    ...{ type: 'AdaptiveCard', version: '1.2' },
    body: [textLine(title, { weight: 'bolder', size: 'medium' }), ...lines.map((line) => textLine(line, {}))],
    ...(links == null
      ? {}
      : { actions: [open('Acknowledge', links.acknowledge), open('Snooze', links.snooze)] }),
  };
}

/** A TextBlock reads Markdown, a TextRun does not: a name can make neither a link nor an image. */
function textLine(text: string, style: { readonly weight?: string; readonly size?: string }) {
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text, ...style }] };
}
