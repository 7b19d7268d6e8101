import { lookup as lookupName } from 'node:dns';
import { type IncomingMessage, request as requestHttp, STATUS_CODES } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { createNetworkSet, equivalentAddresses, isPrivateHost, parseJson } from '@vantage/kernel';
import { z } from 'zod';
import type { Outcome } from '../notification-state.ts';
import type { Channel, Notice, Sending } from './channel.ts';
import { ForbiddenTargetError, faultText, mayHaveArrived } from './fact-text.ts';

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

/** The answer of the receiver. `retryAfter` is the header as it came. */
interface PostAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The begin of the answer's body where `readsBody` asked for it, else empty. */
  readonly body: string;
}

const mostHeaderBytes = 16 * 1024;
/** Of an answer's body, which few channels need; a short one is always read, so that the other side can finish. */
const mostBodyBytes = 16 * 1024;

/**
 * Sends one request (POST) on a connection of its own and resolves with the status. Redirects are not followed.
 * Without `allowPrivate` it connects only to public addresses: the address that the name resolved to is judged, and
 * the connection goes to that one.
 */
function post(
  ask: {
    readonly method?: 'POST' | 'PUT';
    readonly url: URL;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly allowPrivate: boolean;
    /** Resolves after the body, of which it keeps the first 16 KiB. */
    readonly readsBody?: boolean;
  },
  signal: AbortSignal,
): Promise<PostAnswer> {
  const { url, headers, body, allowPrivate } = ask;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) return Promise.reject(forbidden(host));
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: ask.method ?? 'POST',
        agent: false,
        signal,
        maxHeaderSize: mostHeaderBytes,
        headers: { ...headers, 'Content-Length': String(Buffer.byteLength(body)) },
        ...(allowPrivate ? {} : { lookup: lookupPublic }),
      },
      (response) => {
        const answer = { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] };
        const end = (text: string) => resolve({ ...answer, body: text });
        if (ask.readsBody !== true) end('');
        readBegin(response, end);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** A status as people read it. The other side's own words are left out, because they may repeat what we sent. */
function statusText(status: number): string {
  const words = STATUS_CODES[status];
  return words === undefined ? `HTTP ${status}` : `HTTP ${status} ${words}`;
}

/**
 * Reads a bounded begin of the body. `onEnd` gets it at the body's end, at the bound, and when the connection breaks.
 */
function readBegin(response: IncomingMessage, onEnd: (text: string) => void): void {
  const chunks: Buffer[] = [];
  let left = mostBodyBytes;
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk.subarray(0, Math.max(0, left)));
    left -= chunk.length;
    if (left < 0) response.destroy();
  });
  response.on('close', () => onEnd(Buffer.concat(chunks).toString('utf8')));
  response.on('error', () => {});
}

/** Resolves names like the system does, and refuses a name as soon as one of its addresses is not public. */
const lookupPublic: LookupFunction = (name, options, done) => {
  lookupName(name, { ...options, all: true }, (error, found) => {
    if (error !== null) return done(error, '');
    const bad = found.find(({ address }) => !isPublicAddress(address));
    if (bad !== undefined) return done(forbidden(bad.address), '');
    const [first] = found;
    if (options.all === true) return done(null, found);
    return first === undefined
      ? done(new Error(`${name} has no address`), '')
      : done(null, first.address, first.family);
  });
};

function forbidden(address: string): ForbiddenTargetError {
  return new ForbiddenTargetError(
    `${address} is a private or special address; the operator can permit it with VANTAGE_ALLOW_PRIVATE_WEBHOOKS=true`,
  );
}

/**
 * Addresses that no webhook of the Internet has, besides the private ones: what IANA's registries of special-purpose
 * addresses (RFC 6890, as of 2026) do not call globally reachable, a cloud's metadata, site-local, multicast and
 * reserved ones.
 */
const isSpecial = createNetworkSet([
  '168.63.129.16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/23',
  '2001:db8::/32',
  '3fff::/20',
  '5f00::/16',
  'fec0::/10',
  'ff00::/8',
]);

/**
 * Whether a webhook may connect to an address (loopback, private, link-local, shared, metadata and multicast addresses
 * are refused, also inside of an IPv6 address as NAT64 and others carry them). A text that is no address is refused.
 * Pure.
 */
export function isPublicAddress(address: string): boolean {
  const forms = equivalentAddresses(address);
  return forms.length > 0 && !isPrivateHost(address) && !forms.some(isSpecial);
}
