import { parseJson } from '@vantage/kernel';
import { z } from 'zod';
import type { Outcome } from '../notification-state.ts';
import type { Channel, Notice, Sending } from './channel.ts';
import { ForbiddenTargetError, faultText, mayHaveArrived } from './fault-text.ts';
import { type PostAnswer, post, statusText } from './post.ts';

/** The operator's settings for channels that speak HTTP. */
export interface HttpSettings {
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
  /** Statuses by which the receiver says for good that it does not accept this message. */
  readonly gone: readonly number[];
  /**
   * The wait that the JSON of an answer asks for, milliseconds; undefined: none. Only for receivers that do not say it
   * in Retry-After.
   */
  readonly waitInBody?: (body: unknown) => number | undefined;
  /**
   * How the JSON of an acceptance names the message; undefined: not at all. With it `requestOf` makes a reply of a
   * message that has `replyTo`.
   */
  readonly messageIdOf?: (body: unknown) => string | undefined;
}

/**
 * A channel whose messages are one request each. Any status of 200 to 299 is an acceptance; redirects are not
 * followed; the header webhook-id is the same for all attempts.
 */
export function createHttpChannel({ allowPrivate }: HttpSettings, parts: HttpChannelParts): Channel {
  const { compose, requestOf, gone, waitInBody, messageIdOf } = parts;
  return {
    showsDay: false,
    canReply: messageIdOf !== undefined,
    compose,
    async send(sending, signal): Promise<Outcome> {
      const { method = 'POST', url, headers, body } = requestOf(sending);
      if (url.protocol !== 'https:' && !allowPrivate)
        return { kind: 'again', text: 'the address does not begin with https://' };
      const all = { 'User-Agent': 'Vantage', 'webhook-id': sending.id, ...headers };
      const readsBody = waitInBody !== undefined || messageIdOf !== undefined;
      try {
        const answer = await post({ method, url, headers: all, body, allowPrivate, readsBody }, signal);
        const said = readsBody ? parseJson(answer.body) : undefined;
        const waitMs = waitInBody?.(said) ?? retryAfterMs(answer.retryAfter, sending.nowUs);
        return outcomeOf(answer, gone, { waitMs, messageId: messageIdOf?.(said) });
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
): Outcome {
  const text = statusText(status);
  if (status >= 200 && status < 300)
    return { kind: 'delivered', text, ...(messageId === undefined ? {} : { messageId }) };
  if (gone.includes(status)) return { kind: 'gone', text };
  if (status >= 300 && status < 400) return { kind: 'again', text: `${text} (redirects are not followed)` };
  return { kind: 'again', text, ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) };
}

/**
 * The wait that a header Retry-After asks for (RFC 9110 section 10.2.3: seconds, or a date), milliseconds. undefined:
 * the header is missing or has another form.
 */
export function retryAfterMs(text: string | undefined, nowUs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(text)) return Number(text) * 1000;
  const atMs = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowUs / 1000);
}

/** How a service may name a message: it is stored, and sent back to that service only. */
export const messageName = z.string().regex(/^[\x21-\x7e]{1,255}$/);

/** A message's number. */
export const messageNumber = z.number().int().positive().max(Number.MAX_SAFE_INTEGER);
