import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request as request1 } from 'node:http';
import { connect as connect2, constants, type IncomingHttpHeaders as Headers2 } from 'node:http2';
import type { Readable } from 'node:stream';
import { resultCode } from '@vantage/domain';
import type { Connection } from '../../contract/dial.ts';
import { quoteShort } from '../../contract/display.ts';
import { closedEarly, Failure, networkFailure, systemCode } from '../../contract/failure.ts';
import type { ProbeContext } from '../../contract/probe.ts';

export interface HttpRequest {
  readonly method: string;
  /** Origin form; absolute form for a proxy; `host:port` for CONNECT. */
  readonly path: string;
  readonly scheme: string;
  /** The value of Host, or `:authority`. */
  readonly authority: string;
  /** Without Host. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface HttpHead {
  readonly version: '1.0' | '1.1' | '2';
  readonly status: number;
  /** The server's reason phrase, '' in HTTP/2. */
  readonly reason: string;
  /** Names in lower case; several values joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
}

/** An answer with its unread body. */
export interface StreamedAnswer extends HttpHead {
  readonly stream: Readable;
  /** The values of all Set-Cookie headers. */
  readonly setCookies: readonly string[];
  /** Whether the whole answer arrived. Node ends an HTTP/2 stream without an error if its connection is lost. */
  readonly isComplete: () => boolean;
}

type ExchangeContext = Pick<ProbeContext, 'signal' | 'stopwatch' | 'own' | 'diagnostics'>;

/** Interim answers such as 103. Each costs time. */
const maxInterimAnswers = 100;
/** The first bytes of an answer that is no HTTP, for the diagnostics. */
const maxShownBytes = 512;
const maxHeaderBytes = 64 * 1024;
/** Headers that HTTP/2 forbids (RFC 9113 section 8.2.2). */
const connectionHeaders = ['keep-alive', 'proxy-connection', 'http2-settings'];

/**
 * Sends a request and waits for the head of the answer (phase `ttfb` up to the first byte, then `ttlb`). Throws Failure
 * 3 if the server does not answer in HTTP, closes early or sends more than 64 KiB of headers.
 */
export function exchange(
  context: ExchangeContext,
  connection: Connection,
  request: HttpRequest,
  http2: boolean,
): Promise<StreamedAnswer> {
  return http2 ? exchange2(context, connection, request) : exchange1(context, connection, request);
}

function exchange1(
  context: ExchangeContext,
  connection: Connection,
  outgoing: HttpRequest,
): Promise<StreamedAnswer> {
  const { signal, stopwatch } = context;
  const { socket, peer } = connection;
  return new Promise((resolve, reject) => {
    const headers: OutgoingHttpHeaders = {
      Host: outgoing.authority,
      ...outgoing.headers,
      Connection: 'close',
    };
    if (outgoing.body !== undefined) headers['Content-Length'] = Buffer.byteLength(outgoing.body);
    let first = '';
    const onFirstByte = (chunk: Buffer) => {
      stopwatch.enter('ttlb');
      first = chunk.toString('latin1', 0, maxShownBytes);
    };
    socket.once('data', onFirstByte);
    const request = request1({
      createConnection: () => socket,
      method: outgoing.method,
      path: outgoing.path,
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
      if (first !== '') context.diagnostics('FirstBytes', quoteShort(first, maxShownBytes));
      finish(() => reject(headFailure(error, peer, first)));
    });
    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim > maxInterimAnswers) request.destroy(endlessInterim(peer));
    });
    request.on('response', (response) =>
      finish(() => {
        // Node reports a malformed body to the request only. Without this listener it would look like an early close.
        request.on('error', (error) => void response.destroy(error));
        resolve({
          version: response.httpVersion === '1.0' ? '1.0' : '1.1',
          status: response.statusCode ?? 0,
          reason: response.statusMessage ?? '',
          headers: joined(response.headers),
          stream: response,
          setCookies: response.headers['set-cookie'] ?? [],
          isComplete: () => response.complete,
        });
      }),
    );
    stopwatch.enter('ttfb');
    request.end(outgoing.body);
  });
}

function exchange2(
  context: ExchangeContext,
  connection: Connection,
  outgoing: HttpRequest,
): Promise<StreamedAnswer> {
  const { signal, stopwatch } = context;
  const { socket, peer } = connection;
  return new Promise((resolve, reject) => {
    const session = connect2(`${outgoing.scheme}://${outgoing.authority}`, {
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
    const allowed = Object.entries(outgoing.headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !connectionHeaders.includes(name));
    const stream = session.request(
      {
        ':method': outgoing.method,
        ':path': outgoing.path,
        ':scheme': outgoing.scheme,
        ':authority': outgoing.authority,
        ...Object.fromEntries(allowed),
        ...(outgoing.body === undefined ? {} : { 'content-length': Buffer.byteLength(outgoing.body) }),
      },
      { endStream: outgoing.body === undefined },
    );
    stream.on('error', (error) => fail(headFailure2(error, peer)));
    let interim = 0;
    stream.on('headers', () => {
      interim += 1;
      if (interim > maxInterimAnswers) fail(endlessInterim(peer));
    });
    stream.on('response', (headers) => {
      stopwatch.enter('ttlb');
      const { ':status': status = 0, ...rest } = headers;
      const isComplete = () => stream.rstCode === constants.NGHTTP2_NO_ERROR;
      const head = { version: '2', status, reason: '', headers: joined(rest) } as const;
      finish(() => resolve({ ...head, stream, setCookies: headers['set-cookie'] ?? [], isComplete }));
    });
    stopwatch.enter('ttfb');
    if (outgoing.body !== undefined) stream.end(outgoing.body);
  });
}

/** Asks a proxy for a tunnel to `outgoing.path` (RFC 9110 section 9.3.6), which the connection then is. */
export function connectThrough(
  context: ExchangeContext,
  connection: Connection,
  outgoing: HttpRequest,
): Promise<void> {
  const { signal, stopwatch } = context;
  const { socket, peer } = connection;
  stopwatch.enter('connect');
  return new Promise((resolve, reject) => {
    const request = request1({
      createConnection: () => socket,
      method: 'CONNECT',
      path: outgoing.path,
      headers: { Host: outgoing.authority, ...outgoing.headers },
      maxHeaderSize: maxHeaderBytes,
    });
    const finish = (then: () => void) => {
      signal.removeEventListener('abort', onAbort);
      then();
    };
    const onAbort = () => finish(() => reject(signal.reason));
    signal.addEventListener('abort', onAbort, { once: true });
    request.on('error', (error) => finish(() => reject(headFailure(error, `proxy ${peer}`))));
    const refused = (status: number, reason: string) => {
      const text = `proxy ${peer} does not connect to ${outgoing.path}: ${status} ${reason}`.trimEnd();
      if (status !== 407) return new Failure(resultCode.protocol, text);
      const loggedIn = Object.keys(outgoing.headers).includes('Proxy-Authorization');
      return new Failure(resultCode.login, `${text}: ${proxyAdvice(loggedIn)}`);
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

/** The same for HTTP/2, which has error codes (RFC 9113 section 7). */
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
