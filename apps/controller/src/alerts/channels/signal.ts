import { z } from 'zod';
import type { Channel } from './channel.ts';
import { chatText, joined } from './chat-text.ts';
import { createHttpChannel, type HttpChannelSettings, jsonHeaders } from './http-channel.ts';
import { threadSubject } from './mail-subject.ts';

/** Signal's apps show at most 2,000 characters at once. */
const maxTextLength = 1_900;

const stored = z.object({ text: z.string(), about: z.string().optional() });

/** The time at which the message was sent, in milliseconds: Signal names a message by it and its author. */
const acceptance = z.object({ timestamp: z.string().regex(/^\d{1,15}$/) });

/**
 * Signal by the REST interface of signal-cli (github.com/bbernhard/signal-cli-rest-api, "POST /v2/send"). The address
 * is `https://HOST/?number=SENDER&to=RECIPIENT`, with a `to` for each number or group. 201 is the acceptance; 400, 401
 * and 404 are final. A later message quotes the first one; the quoted text is the alert's name, as the first text is
 * not kept.
 */
export function createSignal(settings: HttpChannelSettings): Channel {
  return createHttpChannel(settings, {
    compose: (notices) => {
      const subject = notices[0] && threadSubject(notices[0]);
      return {
        text: joined(chatText(notices, maxTextLength)),
        ...(subject === undefined ? {} : { about: subject }),
      };
    },
    requestOf: ({ message, to, replyTo }) => {
      const url = new URL(to.address);
      const number = url.searchParams.get('number') ?? '';
      const recipients = url.searchParams.getAll('to');
      url.search = '';
      url.pathname = `${url.pathname.replace(/\/+$/, '')}/v2/send`;
      const { text, about = '' } = stored.parse(message);
      const quote =
        replyTo == null
          ? {}
          : { quote_timestamp: Number(replyTo), quote_author: number, quote_message: about };
      const body = JSON.stringify({ message: text, number, recipients, ...quote });
      return { url, headers: jsonHeaders(to.secret), body };
    },
    gone: [400, 401, 404],
    messageIdOf: (body) => acceptance.safeParse(body).data?.timestamp,
  });
}
