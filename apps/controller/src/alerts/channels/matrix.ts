import { z } from 'zod';
import type { Channel } from './channel.ts';
import { chatText, joined } from './chat-text.ts';
import { createHttpChannel, type HttpChannelSettings, jsonHeaders, messageName } from './http-channel.ts';

/** An event has at most 65,536 bytes; a character needs up to four in JSON. */
const maxTextLength = 10_000;

const stored = z.object({ text: z.string() });
const acceptance = z.object({ event_id: messageName });
const limited = z.object({ retry_after_ms: z.number().nonnegative() });

/**
 * Matrix (spec.matrix.org, client-server API v1.13, "PUT /rooms/{roomId}/send/{eventType}/{txnId}"): a plain text,
 * which formats and mentions nothing. The address is the homeserver with the room's id as its path, the secret an
 * access token. The notification's id is the transaction, so that a repeated attempt makes no second message. 429 has
 * `retry_after_ms`; 400, 401, 403 and 404 are final. A reply names the event that it answers (`m.in_reply_to`).
 */
export function createMatrix(settings: HttpChannelSettings): Channel {
  return createHttpChannel(settings, {
    compose: (notices) => ({ text: joined(chatText(notices, maxTextLength)) }),
    requestOf: ({ id, message, to, replyTo }) => {
      const url = new URL(to.address);
      const [, base = '', room = ''] = /^(.*)\/([^/]+)\/*$/.exec(url.pathname) ?? [];
      const encoded = encodeURIComponent(decodeURIComponent(room));
      url.pathname = `${base}/_matrix/client/v3/rooms/${encoded}/send/m.room.message/${id}`;
      const relation = replyTo == null ? {} : { 'm.relates_to': { 'm.in_reply_to': { event_id: replyTo } } };
      const body = JSON.stringify({ msgtype: 'm.text', body: stored.parse(message).text, ...relation });
      return { method: 'PUT', url, headers: jsonHeaders(to.secret), body };
    },
    gone: [400, 401, 403, 404],
    messageIdOf: (body) => acceptance.safeParse(body).data?.event_id,
    waitInBody: (body) => limited.safeParse(body).data?.retry_after_ms,
  });
}
