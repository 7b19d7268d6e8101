import { z } from 'zod';
import type { Channel, Notice } from './channel.ts';
import { chatText, joined } from './chat-text.ts';
import { createHttpChannel, type HttpChannelSettings, jsonHeaders, messageNumber } from './http-channel.ts';

/** A text of Telegram has at most 4,096 UTF-16 units; the rest is for the links. */
const maxTextLength = 3_000;

const stored = z.object({ body: z.record(z.string(), z.json()) });

/** The answer to a bot that sends too much (core.telegram.org/bots/api, ResponseParameters). */
const floodAnswer = z.object({ parameters: z.object({ retry_after: z.number().nonnegative() }) });

/** The answer to an accepted message. */
const acceptance = z.object({ result: z.object({ message_id: messageNumber }) });

export interface TelegramSettings extends HttpChannelSettings {
  /** The address of Telegram's servers without a trailing slash. */
  readonly telegramUrl?: string | undefined;
}

/**
 * Telegram's Bot API, method sendMessage (core.telegram.org/bots/api). The text has no markup, so a name cannot make a
 * link. 400, 401, 403 and 404 are final (no such chat, no such bot, the bot was removed); the wait after a 429 is in
 * the answer's body. A reply whose first message was deleted is sent without it (ReplyParameters).
 */
export function createTelegram(settings: TelegramSettings): Channel {
  const { telegramUrl = 'https://api.telegram.org' } = settings;
  return createHttpChannel(settings, {
    compose: (notices) => ({ body: bodyOf(notices) }),
    requestOf: ({ message, to, replyTo }) => ({
      url: new URL(`${telegramUrl}/bot${to.secret ?? ''}/sendMessage`),
      headers: jsonHeaders(),
      body: JSON.stringify({
        chat_id: chatOf(to.address),
        ...stored.parse(message).body,
        ...(replyTo == null
          ? {}
          : { reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true } }),
      }),
    }),
    gone: [400, 401, 403, 404],
    messageIdOf: (body) => acceptance.safeParse(body).data?.result.message_id.toString(),
    waitInBody: (body) => {
      const wait = floodAnswer.safeParse(body).data?.parameters.retry_after;
      return wait === undefined ? undefined : wait * 1000;
    },
  });
}

/** An id is a number where JavaScript can hold it, as the API documents it. */
function chatOf(address: string): number | string {
  const id = Number(address);
  return Number.isSafeInteger(id) ? id : address;
}

/**
 * Links are text: Telegram refuses a whole message whose button names a host that it does not accept, such as one
 * without a dot.
 */
function bodyOf(notices: readonly Notice[]) {
  return {
    text: joined(chatText(notices, maxTextLength)),
    link_preview_options: { is_disabled: true },
  };
}
