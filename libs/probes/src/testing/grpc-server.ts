import type { Socket } from 'node:net';
import { frame } from './malformed-peer.ts';

const empty = Buffer.alloc(0);
const frames = { data: 0, headers: 1, settings: 4 } as const;
const endStream = 1;
const endHeaders = 4;
/** `:status: 200` by its place in the static table of HPACK. */
const ok = Buffer.of(0x88);

/** A header field as HPACK has it without index and without Huffman's code (RFC 7541 section 6.2.2). */
function field(name: string, value: string): Buffer {
  return Buffer.concat([
    Buffer.of(0, name.length),
    Buffer.from(name),
    Buffer.of(value.length),
    Buffer.from(value),
  ]);
}

/** The bytes of an answer to the first call of a connection, as the pieces in which they are sent. */
export function grpcAnswer(
  body: Buffer | undefined,
  status: number,
  message = '',
  type = 'application/grpc',
): readonly Buffer[] {
  const trailers = [
    field('grpc-status', String(status)),
    ...(message === '' ? [] : [field('grpc-message', message)]),
  ];
  const head = Buffer.concat([ok, field('content-type', type)]);
  const settings = frame(frames.settings, 0, 0, empty);
  if (body === undefined)
    return [settings, frame(frames.headers, endStream | endHeaders, 1, Buffer.concat([head, ...trailers]))];
  return [
    settings,
    frame(frames.headers, endHeaders, 1, head),
    frame(frames.data, 0, 1, body),
    frame(frames.headers, endStream | endHeaders, 1, Buffer.concat(trailers)),
  ];
}

/** The message of a status in its frame. */
export function healthAnswer(status: number): Buffer {
  return Buffer.from([0, 0, 0, 0, 2, 8, status]);
}

/** A server that answers the first call of a connection with these pieces. */
export function serveGrpc(
  pieces: readonly Buffer[] = grpcAnswer(healthAnswer(1), 0),
): (socket: Socket) => void {
  return (socket) => {
    socket.once('data', () => {
      for (const piece of pieces) socket.write(piece);
      socket.on('data', () => {});
    });
  };
}
