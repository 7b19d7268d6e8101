import { z } from 'zod';
import type { Channel, Notice } from './channel.ts';
import { cut } from './fact-text.ts';
import { createHttpChannel, type HttpChannelSettings, jsonHeaders } from './http-channel.ts';
import { stageOf } from './incident.ts';
import { escapedMarkdown, linesAsMarkdown } from './markdown-text.ts';

/** An embed's description has at most 4,096 characters; an escaped one needs two. */
const maxTextLength = 1_800;
/** An embed's title has at most 256 characters. */
const maxTitleLength = 250;
const colors = { begins: 0xd0342c, acknowledged: 0xc58a00, ends: 0x2e8540, happened: 0xc58a00 } as const;

const stored = z.object({ embeds: z.array(z.json()) });

/**
 * Discord's webhooks (discord.com/developers/docs, "Execute Webhook"). The last part of the address is the credential.
 * 204 is the acceptance; 400, 401, 403 and 404 are final; 429 has Retry-After. `allowed_mentions` is empty, so that a
 * name in a text mentions no user.
 */
export function createDiscord(settings: HttpChannelSettings): Channel {
  return createHttpChannel(settings, {
    compose: (notices) => ({ embeds: [embedOf(notices)] }),
    requestOf: ({ message, to }) => {
      const body = { ...stored.parse(message), allowed_mentions: { parse: [] } };
      return { url: new URL(to.address), headers: jsonHeaders(), body: JSON.stringify(body) };
    },
    gone: [400, 401, 403, 404],
  });
}

function embedOf(notices: readonly Notice[]) {
  const { title, lines } = linesAsMarkdown(notices, maxTextLength, escapedMarkdown);
  return {
    title: cut(title, maxTitleLength),
    description: lines.join('\n'),
    color: colors[stageOf(notices)],
  };
}
