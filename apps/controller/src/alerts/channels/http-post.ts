import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { forbidden, isPublicAddress, lookupPublic } from './public-address.ts';

/** The answer of the receiver. `retryAfter` is the header as it came. */
export interface PostAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The first part of the answer's body where `readsBody` is true, else empty. */
  readonly body: string;
}

const maxHeaderBytes = 16 * 1024;
/** Few channels need the body of an answer. A short one is always read, so that the other side can finish. */
const maxBodyBytes = 16 * 1024;

/**
 * Sends one request (POST) on a connection of its own and resolves with the status. Redirects are not followed.
 * Without `allowPrivate` it connects only to public addresses: the address that the name resolved to is checked, and
 * it connects to that address.
 */
export function post(
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
        maxHeaderSize: maxHeaderBytes,
        headers: { ...headers, 'Content-Length': String(Buffer.byteLength(body)) },
        ...(allowPrivate ? {} : { lookup: lookupPublic }),
      },
      (response) => {
        const answer = { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] };
        const end = (text: string) => resolve({ ...answer, body: text });
        if (ask.readsBody !== true) end('');
        readStart(response, end);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/**
 * Reads the first `maxBodyBytes` of the body. `onEnd` is called at its end, at the limit, and when the connection
 * breaks.
 */
function readStart(response: IncomingMessage, onEnd: (text: string) => void): void {
  const chunks: Buffer[] = [];
  let left = maxBodyBytes;
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk.subarray(0, Math.max(0, left)));
    left -= chunk.length;
    if (left < 0) response.destroy();
  });
  response.on('close', () => onEnd(Buffer.concat(chunks).toString('utf8')));
  response.on('error', () => {});
}
