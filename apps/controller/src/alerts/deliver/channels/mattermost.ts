import { z } from 'zod';
import type { Channel } from './channel.ts';
import { escapedMarkdown, markdownLines, withoutMentions } from './chat-text.ts';
import { createHttpChannel, type HttpSettings, jsonHeaders } from './http-channel.ts';

/** A post has at most 16,383 characters; an escaped one needs two. */
const longestText = 7_000;

const stored = z.object({ text: z.string() });

/**
 * Mattermost's incoming webhooks (developers.mattermost.com, "Incoming webhooks"): Markdown, in which a name formats
 * and mentions nothing. The last part of the address is the credential. 200 is the acceptance; 400, 403 and 404 are
 * final.
 */
export function createMattermost(settings: HttpSettings): Channel {
  return createHttpChannel(settings, {
    compose: (notices) => {
      const { title, lines } = markdownLines(notices, longestText, quiet);
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
