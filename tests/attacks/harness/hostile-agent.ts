import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import {
  ConnectRequestSchema,
  type ConnectResponse,
  ConnectResponseSchema,
  type HelloSchema,
} from '@vantage/proto';
import type { AgentIdentity } from '../../../apps/controller/src/testing/agent-identity.ts';

/** A message of an agent. */
export type Outgoing = NonNullable<MessageInitShape<typeof ConnectRequestSchema>['message']>;
type Incoming = Exclude<ConnectResponse['message'], { case: undefined }>;
type Kind = Incoming['case'];
type OfKind<K extends Kind> = Extract<Incoming, { case: K }>;

/** The agents' port, and the local address of the connection. */
export interface Door {
  readonly agentEndpoint: string;
  readonly ca: string;
  /** An address of 127.0.0.0/8. The controller distinguishes strangers by it. */
  readonly from?: string;
  /** The certificate of the connection; undefined: it has none. */
  readonly identity?: AgentIdentity | undefined;
}

/** The agents' protocol byte by byte, without the rules that an agent follows. Disposing cuts the connection. */
export interface HostileStream extends Disposable {
  /** False when the transport accepts no more bytes at the moment. */
  send(message: Outgoing): boolean;
  /** Sends a gRPC frame with the length `announced`. */
  sendFrame(payload: Uint8Array, announced?: number): boolean;
  /** Sends any bytes on the stream. */
  sendRaw(bytes: Uint8Array): boolean;
  /** Resolves when the transport accepts bytes again, or when the stream has ended. */
  drained(): Promise<void>;
  /** The next message of this kind; undefined when the stream ended before it. */
  until<K extends Kind>(kind: K): Promise<OfKind<K> | undefined>;
  /** The gRPC status (number) with its text once the stream ended; status undefined: it ended without one. */
  readonly end: Promise<{ readonly status: number | undefined; readonly text: string }>;
  readonly ended: boolean;
}

/** A connection over which several streams may run. Disposing cuts it. */
export interface HostileConnection extends Disposable {
  open(): HostileStream;
  readonly session: ClientHttp2Session;
}

/** Opens a connection to the agents' port. */
export function openHostile({ agentEndpoint, ca, from = '127.0.0.66', identity }: Door): HostileConnection {
  const { hostname, port } = new URL(agentEndpoint);
  const session = connect(agentEndpoint, {
    createConnection: () =>
      connectTls({
        socket: connectTcp({ host: '127.0.0.1', port: Number(port), localAddress: from }),
        servername: hostname,
        ca,
        cert: identity?.cert,
        key: identity?.key,
        ALPNProtocols: ['h2'],
      }),
  });
  session.on('error', () => {}); // an attack expects that the controller ends its connection
  return {
    session,
    open: () => openStream(session),
    [Symbol.dispose]: () => session.destroy(),
  };
}

function openStream(session: ClientHttp2Session): HostileStream {
  const stream = session.request({
    ':method': 'POST',
    ':path': '/vantage.v1.AgentService/Connect',
    'content-type': 'application/grpc+proto',
    te: 'trailers',
  });
  const incoming: Incoming[] = [];
  let wake = () => {};
  let ended = false;
  let trailers: { status: number | undefined; text: string } = { status: undefined, text: '' };
  const noteStatus = (headers: Record<string, unknown>) => {
    const { 'grpc-status': status, 'grpc-message': text } = headers;
    if (typeof status === 'string')
      trailers = { status: Number(status), text: typeof text === 'string' ? decodeURIComponent(text) : '' };
  };
  stream.on('response', noteStatus);
  stream.on('trailers', noteStatus);
  stream.on('error', () => {});
  stream.on('end', () => stream.end()); // the controller has ended its half; without this the stream stays half open
  readFrames(stream, (payload) => {
    const { message } = fromBinary(ConnectResponseSchema, payload);
    if (message.case !== undefined) incoming.push(message);
    if (incoming.length > 10_000) incoming.shift();
    wake();
  });
  const end = new Promise<typeof trailers>((resolve) => {
    stream.once('close', () => {
      ended = true;
      wake();
      resolve(trailers);
    });
  });
  const write = (bytes: Uint8Array) => !stream.destroyed && !stream.writableEnded && stream.write(bytes);
  return {
    send: (message) =>
      write(frame(toBinary(ConnectRequestSchema, create(ConnectRequestSchema, { message })))),
    sendFrame: (payload, announced) => write(frame(payload, announced)),
    sendRaw: write,
    drained: () =>
      new Promise((resolve) => {
        if (ended || !stream.writableNeedDrain) return resolve();
        const done = () => {
          stream.off('drain', done);
          stream.off('close', done);
          resolve();
        };
        stream.on('drain', done);
        stream.on('close', done);
      }),
    async until<K extends Kind>(kind: K) {
      while (true) {
        for (let next = incoming.shift(); next; next = incoming.shift()) if (isKind(next, kind)) return next;
        if (ended) return undefined;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    end,
    get ended() {
      return ended;
    },
    [Symbol.dispose]: () => stream.close(constants.NGHTTP2_CANCEL),
  };
}

function isKind<K extends Kind>(message: Incoming, kind: K): message is OfKind<K> {
  return message.case === kind;
}

/** A gRPC frame: no compression, length, payload (gRPC over HTTP/2, "Length-Prefixed-Message"). */
function frame(payload: Uint8Array, announced = payload.length): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(announced, 1);
  return Buffer.concat([head, payload]);
}

function readFrames(stream: ClientHttp2Stream, take: (payload: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
      const end = 5 + rest.readUInt32BE(1);
      take(rest.subarray(5, end));
      rest = rest.subarray(end);
    }
  });
}

let counter = 1n;

/** A Hello as agents send it, with other values for some fields. */
export function hello(values: MessageInitShape<typeof HelloSchema> = {}): Outgoing {
  counter += 1n;
  return {
    case: 'hello',
    value: {
      version: '0.1.0',
      bootId: 'hostile',
      sessionCounter: counter,
      capacity: 1000,
      hostName: 'hostile',
      ...values,
    },
  };
}
