import { z } from 'zod';
import type { Channel, Notice } from './channel.ts';
import { escapedMarkdown, markdownLines } from './chat-text.ts';
import { cut } from './fact-text.ts';
import { createHttpChannel, type HttpSettings, jsonHeaders } from './http-channel.ts';
import { stageOf } from './incident.ts';

/** An embed's description has at most 4,096 characters; an escaped one needs two. */
const longestText = 1_800;
/** An embed's title has at most 256 characters. */
const longestTitle = 250;
const colors = { begins: 0xd0342c, acknowledged: 0xc58a00, ends: 0x2e8540, happened: 0xc58a00 } as const;

const stored = z.object({ embeds: z.array(z.json()) });

/**
 * Discord's webhooks (discord.com/developers/docs, "Execute Webhook"). The last part of the address is the credential.
 * 204 is the acceptance;
 * 400, 401, 403 and 404 are final; 429 has Retry-After. `allowed_mentions` is empty, so that a name mentions nobody.
 */
export function createDiscord(settings: HttpSettings): Channel {
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
  const { title, lines } = markdownLines(notices, longestText, escapedMarkdown);
  return {
    title: cut(title, longestTitle),
    description: lines.join('\n'),
    color: colors[stageOf(notices)],
  };
}
