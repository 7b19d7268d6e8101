import { z } from 'zod';
import type { Channel } from './channel.ts';
import { chatText, joined } from './chat-text.ts';
import { createHttpChannel, type HttpSettings, jsonHeaders } from './http-channel.ts';

/** Signal's apps show at most 2,000 characters at once. */
const longestText = 1_900;

const stored = z.object({ text: z.string() });

/**
 * Signal by the REST interface of signal-cli (github.com/bbernhard/signal-cli-rest-api, "POST /v2/send"). The address
 * is
 * `https://HOST/?number=SENDER&to=RECIPIENT`, with a `to` for each number or group. 201 is the acceptance; 400, 401 and
 * 404 are final.
 */
export function createSignal(settings: HttpSettings): Channel {
  return createHttpChannel(settings, {
    compose: (notices) => ({ text: joined(chatText(notices, longestText)) }),
    requestOf: ({ message, to }) => {
      const url = new URL(to.address);
      const number = url.searchParams.get('number') ?? '';
      const recipients = url.searchParams.getAll('to');
      url.search = '';
      url.pathname = `${url.pathname.replace(/\/+$/, '')}/v2/send`;
      const body = JSON.stringify({ message: stored.parse(message).text, number, recipients });
      return { url, headers: jsonHeaders(to.secret), body };
    },
    gone: [400, 401, 404],
  });
}
