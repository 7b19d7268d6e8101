import { z } from 'zod';
import type { Channel } from './channel.ts';
import { createHttpChannel, type HttpChannelSettings, jsonHeaders } from './http-channel.ts';
import { escapedMarkdown, linesAsMarkdown, withoutMentions } from './markdown-text.ts';

/** A post has at most 16,383 characters; an escaped one needs two. */
const maxTextLength = 7_000;

const stored = z.object({ text: z.string() });

/**
 * Mattermost's incoming webhooks (developers.mattermost.com, "Incoming webhooks"): Markdown, in which a name formats
 * and mentions nothing. The last part of the address is the credential. 200 is the acceptance; 400, 403 and 404 are
 * final.
 */
export function createMattermost(settings: HttpChannelSettings): Channel {
  return createHttpChannel(settings, {
    compose: (notices) => {
      const { title, lines } = linesAsMarkdown(notices, maxTextLength, quiet);
      return { text: [`**${quiet(title)}**`, ...lines].join('\n') };
    },
    requestOf: ({ message, to }) => ({
      url: new URL(to.address),
      headers: jsonHeaders(),
      body: JSON.stringify(stored.parse(message)),
    }),
    gone: [400, 403, 404],
  });
}

function quiet(text: string): string {
  return withoutMentions(escapedMarkdown(text));
}
