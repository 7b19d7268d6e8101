import { z } from 'zod';
import type { Channel, Notice } from './channel.ts';
import { chatText } from './chat-text.ts';
import { cut } from './fact-text.ts';
import { createHttpChannel, type HttpChannelSettings, jsonHeaders } from './http-channel.ts';
import { incidentOf } from './incident.ts';

/** A message has at most 1,024 characters, a title 250. */
const longest = { text: 1_000, title: 250 } as const;
/** 1 sounds also in quiet hours, 0 sounds, -1 does not. */
const priorities = { critical: 1, warning: 0, info: -1 } as const;

const stored = z.object({ body: z.record(z.string(), z.json()) });

/**
 * Pushover (pushover.net/api, "Pushing Messages"). The address is
 * `https://api.pushover.net/1/messages.json?user_key=USER`, the secret the token of an application. 200 is the
 * acceptance; any 4xx but 429 says that the message will never be accepted.
 */
export function createPushover(settings: HttpChannelSettings): Channel {
  return createHttpChannel(settings, {
    compose: (notices) => ({ body: bodyOf(notices) }),
    requestOf: ({ message, to }) => {
      const url = new URL(to.address);
      const user = url.searchParams.get('user_key') ?? '';
      url.search = '';
      const body = JSON.stringify({ token: to.secret, user, ...stored.parse(message).body });
      return { url, headers: jsonHeaders(), body };
    },
    gone: [400, 401, 403, 404, 413, 422],
  });
}

function bodyOf(notices: readonly Notice[]) {
  const { title, lines, links } = chatText(notices, longest.text);
  const [link] = links;
  const urgent = notices.map(incidentOf).filter(({ stage }) => stage !== 'ends');
  const priority = Math.max(priorities.info, ...urgent.map(({ severity }) => priorities[severity]));
  return {
    title: cut(title, longest.title),
    message: lines.join('\n') || title,
    priority,
    ...(link === undefined ? {} : { url: link.url, url_title: link.label }),
  };
}
