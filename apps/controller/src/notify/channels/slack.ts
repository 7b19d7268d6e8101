import { z } from 'zod';
import type { Channel, Notice } from './channel.ts';
import { chatText, joined } from './chat-text.ts';
import { createHttpChannel, type HttpSettings, jsonHeaders } from './http-channel.ts';

/** Slack cuts a text at 40,000 characters; a character that is escaped needs up to five. */
const longestText = 7_900;

const stored = z.object({ text: z.string() });

/**
 * Slack's incoming webhooks (docs.slack.dev, "Sending messages using incoming webhooks"), and programs that accept the same, such as
 * Mattermost. The address is the credential. Slack answers 200; 400, 403, 404 and 410 say that it will never accept the message; 429 has
 * Retry-After.
 */
export function createSlack(settings: HttpSettings): Channel {
  return createHttpChannel(settings, {
    compose: (notices) => ({
      text: [escaped(joined(chatText(notices, longestText))), ...links(notices)].join('\n'),
    }),
    requestOf: ({ message, to }) => {
      const body = JSON.stringify({ ...stored.parse(message), unfurl_links: false, unfurl_media: false });
      return { url: new URL(to.address), headers: jsonHeaders(), body };
    },
    gone: [400, 403, 404, 410],
  });
}

function links([notice, ...more]: readonly Notice[]): readonly string[] {
  if (notice?.links == null || more.length > 0) return [];
  return [`<${notice.links.acknowledge}|Acknowledge> | <${notice.links.snooze}|Snooze>`];
}

/** Slack's three control characters. Escaped, a name can neither mention people nor make a link ("Formatting text", "Escaping text"). */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
