import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request as request1 } from 'node:http';
import { connect as connect2, constants, type IncomingHttpHeaders as Headers2 } from 'node:http2';
import type { Readable } from 'node:stream';
import { resultCode } from '@vantage/domain';
import type { Connection } from '../../contract/dial.ts';
import { closedEarly, Failure, networkFailure, quoteShort, systemCode } from '../../contract/failure.ts';
import type { ProbeContext } from '../../contract/probe.ts';

/** One request, ready to be sent. */
export interface HttpRequest {
  readonly method: string;
  /** Origin form, or absolute form for a proxy; CONNECT: `host:port`. */
  readonly path: string;
  readonly scheme: string;
  /** The value of Host, or `:authority`. */
  readonly authority: string;
  /** Without Host. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** The head of an answer. */
export interface HttpHead {
  readonly version: '1.0' | '1.1' | '2';
  readonly status: number;
  /** The server's reason phrase, '' in HTTP/2. */
  readonly reason: string;
  /** Names in lower case; several values joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
}

/** An answer whose body waits in `stream`. */
export interface HttpAnswer extends HttpHead {
  readonly stream: Readable;
  /**
   * Whether the stream ended because the whole answer came. Node ends one of HTTP/2 without an error, too, when its
   * connection is cut.
   */
  readonly isComplete: () => boolean;
}

type Context = Pick<ProbeContext, 'signal' | 'stopwatch' | 'own' | 'diagnostics'>;

/** Answers before the answer (103 and its like); each costs time, and nobody needs many. */
const maxInterim = 100;
/** First bytes of what is no HTTP that are kept as diagnostics. */
const shownBytes = 512;
const maxHeaderBytes = 64 * 1024;
/** Headers that HTTP/2 does not use and forbids (RFC 9113 section 8.2.2). */
const connectionHeaders = ['keep-alive', 'proxy-connection', 'http2-settings'];

/**
 * Sends a request and waits for the head of the answer: phase `ttfb` from here to the first byte, then `ttlb`. Throws
 * Failure 3 for what is not HTTP, closes early or has more than 64 KiB of headers.
 */
export function exchange(
  context: Context,
  connection: Connection,
  request: HttpRequest,
  http2: boolean,
): Promise<HttpAnswer> {
  return http2 ? exchange2(context, connection, request) : exchange1(context, connection, request);
}

function exchange1(context: Context, connection: Connection, wanted: HttpRequest): Promise<HttpAnswer> {
  const { signal, stopwatch } = context;
  const { socket, peer } = connection;
  return new Promise((resolve, reject) => {
    const headers: OutgoingHttpHeaders = { Host: wanted.authority, ...wanted.headers, Connection: 'close' };
    if (wanted.body !== undefined) headers['Content-Length'] = Buffer.byteLength(wanted.body);
    let first = '';
    const onFirstByte = (chunk: Buffer) => {
      stopwatch.enter('ttlb');
      first = chunk.toString('latin1', 0, shownBytes);
    };
    socket.once('data', onFirstByte);
    const request = request1({
      createConnection: () => socket,
      method: wanted.method,
      path: wanted.path,
      headers,
      setHost: false,
      maxHeaderSize: maxHeaderBytes,
    });
    const finish = (then: () => void) => {
      signal.removeEventListener('abort', onAbort);
      socket.off('data', onFirstByte);
      then();
    };
    const onAbort = () => finish(() => reject(signal.reason));
    signal.addEventListener('abort', onAbort, { once: true });
    request.on('error', (error) => {
      if (first !== '') context.diagnostics('FirstBytes', quoteShort(first, shownBytes));
      finish(() => reject(headFailure(error, peer, first)));
    });
    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim > maxInterim) request.destroy(endlessInterim(peer));
    });
    request.on('response', (response) =>
      finish(() => {
        // Node reports a malformed body to the request only. Without this listener it would be taken for an early
        // close.
        request.on('error', (error) => void response.destroy(error));
        resolve({
          version: response.httpVersion === '1.0' ? '1.0' : '1.1',
          status: response.statusCode ?? 0,
          reason: response.statusMessage ?? '',
          headers: joined(response.headers),
          stream: response,
          isComplete: () => response.complete,
        });
      }),
    );
    stopwatch.enter('ttfb');
    request.end(wanted.body);
  });
}

function exchange2(context: Context, connection: Connection, wanted: HttpRequest): Promise<HttpAnswer> {
  const { signal, stopwatch } = context;
  const { socket, peer } = connection;
  return new Promise((resolve, reject) => {
    const session = connect2(`${wanted.scheme}://${wanted.authority}`, {
      createConnection: () => socket,
      settings: { enablePush: false, maxHeaderListSize: maxHeaderBytes },
      maxSessionMemory: 8,
    });
    context.own({ [Symbol.dispose]: () => session.destroy() });
    const finish = (then: () => void) => {
      signal.removeEventListener('abort', onAbort);
      then();
    };
    const fail = (failure: unknown) => finish(() => reject(failure));
    const onAbort = () => fail(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    session.on('error', (error) => fail(headFailure2(error, peer)));
    session.on('close', () => fail(closedEarly(peer, 'before it answered')));
    session.on('goaway', (code) => {
      if (code === constants.NGHTTP2_NO_ERROR) return;
      fail(new Failure(resultCode.protocol, `${peer} ended the HTTP/2 session (error ${code})`));
    });
    const own = Object.entries(wanted.headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !connectionHeaders.includes(name));
    const stream = session.request(
      {
        ':method': wanted.method,
        ':path': wanted.path,
        ':scheme': wanted.scheme,
        ':authority': wanted.authority,
        ...Object.fromEntries(own),
        ...(wanted.body === undefined ? {} : { 'content-length': Buffer.byteLength(wanted.body) }),
      },
      { endStream: wanted.body === undefined },
    );
    stream.on('error', (error) => fail(headFailure2(error, peer)));
    let interim = 0;
    stream.on('headers', () => {
      interim += 1;
      if (interim > maxInterim) fail(endlessInterim(peer));
    });
    stream.on('response', (headers) => {
      stopwatch.enter('ttlb');
      const { ':status': status = 0, ...rest } = headers;
      const isComplete = () => stream.rstCode === constants.NGHTTP2_NO_ERROR;
      const head = { version: '2', status, reason: '', headers: joined(rest) } as const;
      finish(() => resolve({ ...head, stream, isComplete }));
    });
    stopwatch.enter('ttfb');
    if (wanted.body !== undefined) stream.end(wanted.body);
  });
}

/**
 * Asks a proxy to connect through to `request.path` (RFC 9110 section 9.3.6); the connection carries the bytes
 * afterwards.
 */
export function connectThrough(context: Context, connection: Connection, wanted: HttpRequest): Promise<void> {
  const { signal, stopwatch } = context;
  const { socket, peer } = connection;
  stopwatch.enter('connect');
  return new Promise((resolve, reject) => {
    const request = request1({
      createConnection: () => socket,
      method: 'CONNECT',
      path: wanted.path,
      headers: { Host: wanted.authority, ...wanted.headers },
      maxHeaderSize: maxHeaderBytes,
    });
    const finish = (then: () => void) => {
      signal.removeEventListener('abort', onAbort);
      then();
    };
    const onAbort = () => finish(() => reject(signal.reason));
    signal.addEventListener('abort', onAbort, { once: true });
    request.on('error', (error) => finish(() => reject(headFailure(error, `proxy ${peer}`))));
    const refused = (status: number, words: string) => {
      const said = `proxy ${peer} does not connect to ${wanted.path}: ${status} ${words}`.trimEnd();
      if (status !== 407) return new Failure(resultCode.protocol, said);
      const loggedIn = Object.keys(wanted.headers).includes('Proxy-Authorization');
      return new Failure(resultCode.login, `${said}: ${proxyAdvice(loggedIn)}`);
    };
    request.on('connect', (response, _socket, head) =>
      finish(() => {
        const status = response.statusCode ?? 0;
        if (status < 200 || status > 299) reject(refused(status, response.statusMessage ?? ''));
        else if (head.length > 0)
          reject(new Failure(resultCode.protocol, `proxy ${peer} spoke before we did`));
        else resolve();
      }),
    );
    request.on('response', (response) =>
      finish(() => reject(refused(response.statusCode ?? 0, response.statusMessage ?? ''))),
    );
    request.end();
  });
}

/** The advice about a proxy that requires a login. */
export function proxyAdvice(loggedIn: boolean): string {
  return loggedIn ? 'user or password in Proxy are refused' : 'the proxy wants a user and password in Proxy';
}

function joined(headers: IncomingHttpHeaders | Headers2): Readonly<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) all[name] = Array.isArray(value) ? value.join(', ') : String(value);
  }
  return all;
}

function endlessInterim(peer: string): Failure {
  return new Failure(resultCode.protocol, `${peer} sends interim answers (1xx) without end`);
}

function headFailure(error: Error, peer: string, first = ''): Failure {
  if (error instanceof Failure) return error;
  const code = systemCode(error);
  if (code === 'HPE_HEADER_OVERFLOW') return protocol(`${peer} sends more than 64 KiB of headers`, error);
  if (code.startsWith('HPE_') || code.startsWith('ERR_HTTP2') || code === 'ERR_STREAM_PREMATURE_CLOSE') {
    const begins = first === '' ? '' : `: it begins with ${quoteShort(first, 60)}`;
    return protocol(`${peer} does not answer in HTTP (${reasonOf(error, code)})${begins}`, error);
  }
  if (code === 'ECONNRESET' && error.message === 'socket hang up')
    return closedEarly(peer, 'before it answered');
  return networkFailure(error, peer);
}

/** The same for HTTP/2, whose errors carry a code of their own (RFC 9113 section 7). */
function headFailure2(error: Error, peer: string): Failure {
  const code = systemCode(error);
  if (code === 'ERR_HTTP2_STREAM_ERROR') {
    const reason = /NGHTTP2_\w+/.exec(error.message)?.[0].replace('NGHTTP2_', '') ?? error.message;
    return protocol(`${peer} ended the request with the HTTP/2 error ${reason}`, error);
  }
  if (code === 'ERR_HTTP2_ERROR')
    return protocol(`${peer} does not answer in HTTP/2 (${error.message})`, error);
  return headFailure(error, peer);
}

/** The text of the parser's error. */
export function reasonOf(error: Error, code: string): string {
  return code.startsWith('HPE_') ? error.message.replace(/^Parse Error: /, '') : error.message || code;
}

function protocol(text: string, cause: Error): Failure {
  return new Failure(resultCode.protocol, text, { cause });
}
