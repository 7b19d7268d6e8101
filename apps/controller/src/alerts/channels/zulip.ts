import { z } from 'zod';
import type { Channel } from './channel.ts';
import { createHttpChannel, type HttpChannelSettings, messageNumber } from './http-channel.ts';
import { escapedMarkdown, linesAsMarkdown, withoutMentions } from './markdown-text.ts';

/** A message has at most 10,000 characters; an escaped one needs two. */
const maxTextLength = 4_500;

const stored = z.object({ content: z.string() });
const acceptance = z.object({ id: messageNumber });

/**
 * Zulip (zulip.com/api/send-message): a message to a channel. The address is
 * `https://BOT:KEY@HOST/?to=CHANNEL&topic=TOPIC`, with the bot's e-mail address and API key as login. 200 is the
 * acceptance; 400, 401 and 403 are final; 429 has Retry-After. Zulip has no replies but its topics: the last line of a
 * later message links to the first one (`#narrow/id/…`, a search by the operator `id`).
 */
export function createZulip(settings: HttpChannelSettings): Channel {
  return createHttpChannel(settings, {
    compose: (notices) => {
      const { title, lines } = linesAsMarkdown(notices, maxTextLength, quiet);
      return { content: [`**${quiet(title)}**`, ...lines].join('\n') };
    },
    requestOf: ({ message, to, replyTo }) => {
      const url = new URL(to.address);
      const form = new URLSearchParams({
        type: 'stream',
        to: url.searchParams.get('to') ?? '',
        topic: url.searchParams.get('topic') ?? 'Vantage',
        content: stored.parse(message).content + firstMessage(url, replyTo),
      });
      url.search = '';
      url.pathname = `${url.pathname.replace(/\/+$/, '')}/api/v1/messages`;
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      return { url, headers, body: form.toString() };
    },
    gone: [400, 401, 403],
    messageIdOf: (body) => acceptance.safeParse(body).data?.id.toString(),
  });
}

/** A link of the server's own pages. */
function firstMessage({ origin, pathname }: URL, replyTo: string | null | undefined): string {
  if (replyTo == null) return '';
  return `\n[First message of this alert](${origin}${pathname.replace(/\/+$/, '')}/#narrow/id/${replyTo})`;
}

function quiet(text: string): string {
  return withoutMentions(escapedMarkdown(text));
}
