import { connect, constants, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2';
import { resultCode } from '@vantage/domain';
import type { Connection } from '../../contract/dial.ts';
import { quoteShort } from '../../contract/display.ts';
import { closedEarly, Failure, networkFailure, systemCode } from '../../contract/failure.ts';
import type { ProbeContext } from '../../contract/probe.ts';

/** A unary call: one message each way. */
export interface GrpcCall {
  /** `/grpc.health.v1.Health/Check` */
  readonly path: string;
  readonly authority: string;
  /** Names in lower case. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The message in its frame. */
  readonly body: Buffer;
}

export interface GrpcAnswer {
  /** The number of the status of gRPC, as the server sent it. */
  readonly status: string;
  readonly message: string;
  readonly body: Buffer;
}

/** An answer of the health service has some ten bytes. */
const maxBodyBytes = 64 * 1024;
const maxHeaderBytes = 64 * 1024;
/** Interim answers. Each costs time. */
const maxInterimAnswers = 100;

/**
 * Calls a method over HTTP/2 on an open connection (phase `ttfb` up to the headers of the answer, then `ttlb`). Throws
 * Failure 3 if the server does not answer in gRPC, 8 for a login that HTTP refuses.
 */
export function callGrpc(
  context: Pick<ProbeContext, 'signal' | 'stopwatch' | 'own' | 'diagnostics' | 'timeoutMs'>,
  connection: Connection,
  call: GrpcCall,
): Promise<GrpcAnswer> {
  const { signal, stopwatch } = context;
  const { peer } = connection;
  return new Promise((resolve, reject) => {
    const scheme = connection.secure ? 'https' : 'http';
    const session = connect(`${scheme}://${call.authority}`, {
      createConnection: () => connection.socket,
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
    session.on('error', (error) => fail(callFailure(error, peer)));
    session.on('close', () => fail(closedEarly(peer, 'before its answer was complete')));
    session.on('goaway', (code) => {
      if (code !== constants.NGHTTP2_NO_ERROR)
        fail(new Failure(resultCode.protocol, `${peer} ended the HTTP/2 session (error ${code})`));
    });
    const stream = session.request({
      ':method': 'POST',
      ':path': call.path,
      ':scheme': scheme,
      ':authority': call.authority,
      te: 'trailers',
      'content-type': 'application/grpc',
      'user-agent': 'Vantage',
      'grpc-timeout': `${context.timeoutMs}m`,
      ...call.metadata,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    let ending: IncomingHttpHeaders | undefined;
    let interim = 0;
    stream.on('error', (error) => fail(callFailure(error, peer)));
    stream.on('headers', () => {
      interim += 1;
      if (interim > maxInterimAnswers)
        fail(new Failure(resultCode.protocol, `${peer} sends interim answers (1xx) without end`));
    });
    stream.on('response', (headers) => {
      stopwatch.enter('ttlb');
      context.diagnostics('ResponseHeaders', () => shownHeaders(headers));
      const fault = headFault(headers, peer);
      if (fault) fail(fault);
      // An answer without a message has its status here.
      if (headers['grpc-status'] !== undefined) ending = headers;
    });
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBodyBytes) chunks.push(chunk);
      else fail(new Failure(resultCode.protocol, `${peer} sends more than 64 KiB as answer`));
    });
    stream.on('trailers', (trailers) => {
      ending = trailers;
    });
    stream.on('end', () => {
      const status = ending?.['grpc-status'];
      if (typeof status !== 'string') return fail(closedEarly(peer, 'before its answer was complete'));
      finish(() => resolve({ status, message: messageOf(ending ?? {}), body: Buffer.concat(chunks) }));
    });
    stopwatch.enter('ttfb');
    stream.end(call.body);
  });
}

/** The text of a status, which is percent-encoded. */
function messageOf(trailers: IncomingHttpHeaders): string {
  const text = trailers['grpc-message'];
  if (typeof text !== 'string') return '';
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function shownHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : String(value),
    ]),
  );
}

/** An answer that is not one of gRPC, such as a proxy's. */
function headFault(
  headers: IncomingHttpHeaders & IncomingHttpStatusHeader,
  peer: string,
): Failure | undefined {
  const status = headers[':status'] ?? 0;
  const type = headers['content-type'] ?? '';
  if (status === 401 || status === 403)
    return new Failure(resultCode.login, `login refused: the server answers with HTTP ${status}`);
  if (status !== 200)
    return new Failure(resultCode.protocol, `${peer} answers with HTTP ${status}, not in gRPC`);
  if (/^application\/grpc([+;]|$)/.test(type) || headers['grpc-status'] !== undefined) return undefined;
  return new Failure(resultCode.protocol, `${peer} answers with ${quoteShort(type)}, not in gRPC`);
}

function callFailure(error: Error, peer: string): Failure {
  if (error instanceof Failure) return error;
  const code = systemCode(error);
  if (code === 'ERR_HTTP2_STREAM_ERROR') {
    const reason = /NGHTTP2_\w+/.exec(error.message)?.[0].replace('NGHTTP2_', '') ?? error.message;
    return protocol(`${peer} ended the call with the HTTP/2 error ${reason}`, error);
  }
  if (code.startsWith('ERR_HTTP2') || code === 'ERR_STREAM_PREMATURE_CLOSE')
    return protocol(`${peer} does not answer in HTTP/2 (${error.message})`, error);
  return networkFailure(error, peer);
}

function protocol(text: string, cause: Error): Failure {
  return new Failure(resultCode.protocol, text, { cause });
}
