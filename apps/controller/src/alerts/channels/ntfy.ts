import { z } from 'zod';
import type { Channel, Notice } from './channel.ts';
import { chatText } from './chat-text.ts';
import { createHttpChannel, type HttpChannelSettings, jsonHeaders } from './http-channel.ts';
import { incidentOf } from './incident.ts';

/** A longer message becomes an attachment at 4,096 bytes; a character needs up to three. */
const maxTextLength = 1_300;

const stored = z.object({ body: z.record(z.string(), z.json()) });

/** ntfy's five priorities: 3 is the default, 5 sounds longest. */
const priorities = { critical: 5, warning: 4, info: 3 } as const;
const tags = {
  begins: 'rotating_light',
  acknowledged: 'eyes',
  ends: 'white_check_mark',
  happened: 'warning',
} as const;

/**
 * ntfy (docs.ntfy.sh, "Publish as JSON"). The address is the one of a topic; a topic that everybody may read is its own
 * password, so it is shown masked. 401, 403, 404 and 413 are final; 429 says that there were too many messages.
 */
export function createNtfy(settings: HttpChannelSettings): Channel {
  return createHttpChannel(settings, {
    compose: (notices) => ({ body: bodyOf(notices) }),
    requestOf: ({ message, to }) => {
      const { body } = stored.parse(message);
      const url = new URL(to.address);
      const [, base = '/', topic = ''] = /^(.*\/)([^/]+)\/*$/.exec(url.pathname) ?? [];
      url.pathname = base;
      return {
        url,
        headers: jsonHeaders(to.secret),
        body: JSON.stringify({ topic: decodeURIComponent(topic), ...body }),
      };
    },
    gone: [400, 401, 403, 404, 413],
  });
}

function bodyOf(notices: readonly Notice[]) {
  const { title, lines, links } = chatText(notices, maxTextLength);
  const incidents = notices.map(incidentOf);
  const [first] = incidents;
  // ntfy permits three actions.
  const actions = links.slice(0, 3).map(({ label, url }) => ({ action: 'view', label, url }));
  const begun = incidents.filter(({ stage }) => stage !== 'ends');
  return {
    title,
    message: lines.join('\n') || title,
    tags: [tags[begun[0]?.stage ?? first?.stage ?? 'happened']],
    priority: Math.max(priorities.info, ...begun.map(({ severity }) => priorities[severity])),
    ...(actions.length === 0 ? {} : { actions }),
  };
}
