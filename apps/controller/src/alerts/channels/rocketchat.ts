import { z } from 'zod';
import type { Channel } from './channel.ts';
import { chatText, linkText } from './chat-text.ts';
import { createHttpChannel, type HttpChannelSettings, jsonHeaders } from './http-channel.ts';
import { withoutMentions } from './markdown-text.ts';

/** A message has at most 5,000 characters by default. */
const maxTextLength = 4_000;

const stored = z.object({ text: z.string() });

/**
 * Rocket.Chat's incoming webhooks (docs.rocket.chat, "Incoming webhook"). The last part of the address is the
 * credential. 200 is the acceptance;
 * 400, 401, 403 and 404 are final.
 */
export function createRocketChat(settings: HttpChannelSettings): Channel {
  return createHttpChannel(settings, {
    compose: (notices) => {
      const { title, lines, links } = chatText(notices, maxTextLength);
      return { text: [...[title, ...lines].map(quiet), ...links.map(linkText)].join('\n') };
    },
    requestOf: ({ message, to }) => ({
      url: new URL(to.address),
      headers: jsonHeaders(),
      body: JSON.stringify({ ...stored.parse(message), parseUrls: false }),
    }),
    gone: [400, 401, 403, 404],
  });
}

/** Rocket.Chat has no escapes: a zero-width character follows each character that formats. */
function quiet(text: string): string {
  return withoutMentions(text).replaceAll(/[*_~`[]/g, (character) => `${character}\u200b`);
}
