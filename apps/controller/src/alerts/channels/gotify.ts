import { z } from 'zod';
import type { Channel, Notice } from './channel.ts';
import { chatText, linkText } from './chat-text.ts';
import { createHttpChannel, type HttpChannelSettings, jsonHeaders } from './http-channel.ts';
import { incidentOf } from './incident.ts';

const maxTextLength = 10_000;
/** Gotify's apps show 8 and more as urgent, and 1 to 3 without a sound. */
const priorities = { critical: 8, warning: 5, info: 3 } as const;

const stored = z.object({ body: z.record(z.string(), z.json()) });

/**
 * Gotify (gotify.net/api-docs, "POST /message"). The address is the server's base, the secret the token of an
 * application. 200 is the acceptance; 400, 401, 403 and 404 are final.
 */
export function createGotify(settings: HttpChannelSettings): Channel {
  return createHttpChannel(settings, {
    compose: (notices) => ({ body: bodyOf(notices) }),
    requestOf: ({ message, to }) => {
      const url = new URL(to.address);
      url.pathname = `${url.pathname.replace(/\/+$/, '')}/message`;
      const headers = { ...jsonHeaders(), 'X-Gotify-Key': to.secret ?? '' };
      return { url, headers, body: JSON.stringify(stored.parse(message).body) };
    },
    gone: [400, 401, 403, 404],
  });
}

function bodyOf(notices: readonly Notice[]) {
  const { title, lines, links } = chatText(notices, maxTextLength);
  const [first] = links;
  const click =
    first === undefined ? {} : { extras: { 'client::notification': { click: { url: first.url } } } };
  const urgent = notices.map(incidentOf).filter(({ stage }) => stage !== 'ends');
  const priority = Math.max(priorities.info, ...urgent.map(({ severity }) => priorities[severity]));
  return { title, message: [...lines, ...links.map(linkText)].join('\n'), priority, ...click };
}
