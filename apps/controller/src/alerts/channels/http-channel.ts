import { STATUS_CODES } from 'node:http';
import { parseJson } from '@vantage/kernel';
import { z } from 'zod';
import type { AttemptOutcome } from '../deliver/notification-state.ts';
import type { Channel, Notice, Sending } from './channel.ts';
import { ForbiddenTargetError, faultText, mayHaveArrived } from './fault-text.ts';
import { type PostAnswer, post } from './http-post.ts';
import { retryAfterMs } from './retry-after.ts';

/** The operator's settings for channels that speak HTTP, read for each message, because people change them. */
export interface HttpChannelSettings {
  /** Messages may go to private addresses, and by plain HTTP. */
  readonly allowPrivate: boolean;
}

/** One request of an attempt. */
export interface ChannelRequest {
  /** Without it POST. */
  readonly method?: 'PUT';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The part of an HTTP channel that differs between channels. */
interface HttpChannelParts {
  readonly compose: (notices: readonly Notice[], options: unknown) => ReturnType<Channel['compose']>;
  /** Throws when the stored message or the address is damaged. */
  readonly requestOf: (sending: Sending) => ChannelRequest;
  /** Statuses that mean that the receiver will never accept this message. */
  readonly gone: readonly number[];
  /**
   * The wait that the JSON of an answer requests, milliseconds; undefined: none. Only for receivers that do not send
   * Retry-After.
   */
  readonly waitInBody?: (body: unknown) => number | undefined;
  /**
   * The receiver's id of the message in the JSON of an acceptance; undefined: it has none. A channel with this function
   * sends a message with `replyTo` as a reply.
   */
  readonly messageIdOf?: (body: unknown) => string | undefined;
}

/**
 * A channel whose messages are one request each. Any status of 200 to 299 is an acceptance; redirects are not
 * followed; the header webhook-id is the same for all attempts.
 */
export function createHttpChannel(settings: HttpChannelSettings, parts: HttpChannelParts): Channel {
  const { compose, requestOf, gone, waitInBody, messageIdOf } = parts;
  return {
    showsDay: false,
    canReply: messageIdOf !== undefined,
    compose,
    async send(sending, signal): Promise<AttemptOutcome> {
      const { allowPrivate } = settings;
      const { method = 'POST', url, headers, body } = requestOf(sending);
      if (url.protocol !== 'https:' && !allowPrivate)
        return { kind: 'again', text: 'the address does not begin with https://' };
      const all = { 'User-Agent': 'Vantage', 'webhook-id': sending.id, ...headers };
      const readsBody = waitInBody !== undefined || messageIdOf !== undefined;
      try {
        const answer = await post({ method, url, headers: all, body, allowPrivate, readsBody }, signal);
        const json = readsBody ? parseJson(answer.body) : undefined;
        const waitMs = waitInBody?.(json) ?? retryAfterMs(answer.retryAfter, sending.nowUs);
        return outcomeOf(answer, gone, { waitMs, messageId: messageIdOf?.(json) });
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const text = error instanceof ForbiddenTargetError ? error.message : faultText(error, url.hostname);
        return { kind: 'again', text, isUncertain: mayHaveArrived(error) };
      }
    },
  };
}

/** The headers of a JSON body; `token` is for Authorization (RFC 6750), where there is one. */
export function jsonHeaders(token: string | null = null): Readonly<Record<string, string>> {
  return {
    'Content-Type': 'application/json',
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
  };
}

function outcomeOf(
  { status }: PostAnswer,
  gone: readonly number[],
  { waitMs, messageId }: { readonly waitMs: number | undefined; readonly messageId: string | undefined },
): AttemptOutcome {
  const text = statusText(status);
  if (status >= 200 && status < 300)
    return { kind: 'delivered', text, ...(messageId === undefined ? {} : { messageId }) };
  if (gone.includes(status)) return { kind: 'gone', text };
  if (status >= 300 && status < 400) return { kind: 'again', text: `${text} (redirects are not followed)` };
  return { kind: 'again', text, ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) };
}

/** A service's id of a message: it is stored, and sent back to that service only. */
export const messageName = z.string().regex(/^[\x21-\x7e]{1,255}$/);

/** A message's number. */
export const messageNumber = z.number().int().positive().max(Number.MAX_SAFE_INTEGER);

/** A status as people read it. The other side's own words are left out, because they may repeat what we sent. */
function statusText(status: number): string {
  const words = STATUS_CODES[status];
  return words === undefined ? `HTTP ${status}` : `HTTP ${status} ${words}`;
}
