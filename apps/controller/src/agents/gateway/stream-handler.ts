import type { Http2ServerRequest, Http2ServerResponse, Http2Session } from 'node:http2';
import {
  type ConnectRouterOptions,
  createConnectRouter,
  createContextKey,
  createContextValues,
} from '@connectrpc/connect';
import { universalRequestFromNodeRequest, universalResponseToNodeResponse } from '@connectrpc/connect-node';
import { messageBytes } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { AgentService, type ConnectRequest, type ConnectResponse } from '@vantage/proto';
import { createMessageGate, type MessageGate } from './message-gate.ts';
import type { Peer, ReadPeer } from './peer.ts';
import { type CountedStream, createUnreadMessages } from './unread-messages.ts';

/** One request for a stream; only its headers were read. */
export interface Caller {
  /** The client certificate; undefined: there is none. */
  readonly peer: Peer | undefined;
  readonly gate: MessageGate;
  /** Aborts when the stream ends. */
  readonly signal: AbortSignal;
  readonly connection: Http2Session | undefined;
  /** Breaks the stream from our side. */
  readonly cut: () => void;
}

/** Serves one stream: a ConnectError that it throws becomes the status in the trailers. */
export type Serve = (
  requests: AsyncIterable<ConnectRequest>,
  caller: Caller,
) => AsyncGenerator<ConnectResponse>;

export type StreamHandler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

/** A refused caller has this long to read the reason before its stream is cut, milliseconds. */
const readRefusalMs = 1_000;

interface StreamHandlerDeps {
  readonly clock: Clock;
  readonly serve: Serve;
  readonly peerOf: ReadPeer;
  /** A stream of this address was cut because its agent does not read. */
  readonly onUnread: (address: string) => void;
}

/**
 * The handler of `AgentService.Connect` for an HTTP/2 server: gRPC in its binary form only. A stream that ends with an
 * error closes its connection, unless other streams run over it.
 */
export function createStreamHandler({ clock, serve, peerOf, onUnread }: StreamHandlerDeps): StreamHandler {
  const unread = createUnreadMessages({ clock, onCut: onUnread });
  const callerKey = createContextKey<Caller | undefined>(undefined);
  const options: ConnectRouterOptions = {
    connect: false,
    grpcWeb: false,
    readMaxBytes: messageBytes,
    acceptCompression: [],
    // Fields that this version does not know would be kept as objects, a hundred times their size on the wire.
    binaryOptions: { readUnknownFields: false },
  };
  const router = createConnectRouter(options).service(AgentService, {
    async *connect(requests, context) {
      const caller = context.values.get(callerKey);
      if (caller !== undefined) yield* serve(requests, caller);
    },
  });
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));

  return (request, response) => {
    const close = closer(request, clock);
    const handler = handlers.get(request.url.split('?', 1)[0] ?? '');
    const isGrpc = /^application\/grpc(\+proto)?$/i.test(request.headers['content-type'] ?? '');
    if (handler === undefined || !isGrpc) {
      response.writeHead(handler === undefined ? 404 : 415).end();
      close();
      return;
    }
    const gate = createMessageGate();
    const values = createContextValues();
    const incoming = universalRequestFromNodeRequest(request, response, undefined, values);
    values.set(callerKey, {
      peer: peerOf(request.stream.session),
      gate,
      signal: incoming.signal,
      connection: request.stream.session ?? undefined,
      cut: () => request.stream.destroy(),
    });
    const body = gate.pass(bytesOf(request));
    handler({ ...incoming, body })
      .then((answer) => {
        const isRefused = () => answer.status !== 200 || answer.trailer?.get('grpc-status') !== '0';
        const body = whenOver(answer.body && unread.count(countedStream(request), answer.body), () => {
          if (isRefused()) close();
        });
        return universalResponseToNodeResponse({ ...answer, body }, response);
      })
      .catch(() => request.stream.destroy()); // the stream broke while it was written to
  };
}

function countedStream({ socket, stream }: Http2ServerRequest): CountedStream {
  return { address: socket?.remoteAddress ?? '', cut: () => stream.destroy() };
}

/** A function that ends a refused caller's connection after its other streams have ended. */
function closer({ stream }: Http2ServerRequest, clock: Clock): () => void {
  // Afterwards an ended stream does not know its session.
  const { session } = stream;
  return () => {
    session?.close();
    const deadline = clock.timer(readRefusalMs, () => stream.destroy());
    stream.once('close', () => deadline[Symbol.dispose]());
    if (stream.closed) deadline[Symbol.dispose]();
  };
}

/** The same bytes; `over` is called when there are no more. */
async function* whenOver(
  body: AsyncIterable<Uint8Array> | undefined,
  over: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    if (body !== undefined) yield* body;
  } finally {
    over();
  }
}

async function* bytesOf(request: Http2ServerRequest): AsyncGenerator<Uint8Array> {
  for await (const chunk of request) if (chunk instanceof Uint8Array) yield chunk;
}
