import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';

/** The behaviour of a peer on a connection from some moment on; `write` reaches the client. */
export type PeerBehaviour = (socket: Socket, write: (bytes: Buffer | string) => boolean) => void;

/** Milliseconds between two chunks of a flood, so that a client gets at most 16 MB a second. */
const floodEveryMs = 4;

/** Sends a piece again and again, as fast as the client reads, up to 16 MB a second. */
export function flood(piece: string | Buffer): PeerBehaviour {
  const bytes = Buffer.from(piece);
  const chunk = Buffer.concat(Array.from({ length: Math.ceil(65_536 / bytes.length) }, () => bytes));
  return (socket, write) => {
    let full = false;
    const timer = setInterval(() => {
      if (!full && !socket.destroyed) full = !write(chunk);
    }, floodEveryMs);
    socket.on('drain', () => {
      full = false;
    });
    socket.on('close', () => clearInterval(timer));
  };
}

/** Sends a text over and over, 20 bytes a second, one by one. */
export function drip(text: string): PeerBehaviour {
  return (socket, write) => {
    let at = 0;
    const timer = setInterval(() => {
      write(text.charAt(at % text.length));
      at += 1;
    }, 50);
    socket.on('close', () => clearInterval(timer));
  };
}

/** Sends bytes once and nothing more. */
export function once(piece: string | Buffer): PeerBehaviour {
  return (_socket, write) => void write(Buffer.from(piece));
}

export const silence: PeerBehaviour = () => {};

/** Ends its own side and goes on reading. */
export const halfClose: PeerBehaviour = (socket) => {
  socket.allowHalfOpen = true;
  socket.end();
};

/** A server that is good up to its `stage`-th write (from 0) and behaves otherwise from then on. */
export function malformedAt(stage: number, good: (socket: Socket) => void, behaviour: PeerBehaviour) {
  return (socket: Socket): void => {
    const write = socket.write.bind(socket);
    let writes = 0;
    const counting = (bytes: Buffer | string): boolean => {
      writes += 1;
      if (writes <= stage) return write(bytes);
      if (writes === stage + 1) behaviour(socket, write);
      return true;
    };
    Object.assign(socket, { write: counting });
    good(socket);
  };
}

/** Malformed answers of any protocol; `more` is a line or packet after which the protocol requires more. */
export function malformedAnswers(more: string | Buffer): Readonly<Record<string, PeerBehaviour>> {
  return {
    'a byte at a time': drip(more.toString('latin1')),
    'more lines without end': flood(more),
    'a line without end': flood('2'),
    'a banner of 64 KiB': once(`220 ${'x'.repeat(65_536)}\r\n`),
    'zeros without end': flood(Buffer.alloc(1024)),
    'random bytes without end': flood(randomBytes(65_536)),
    'half a close': halfClose,
    silence,
  };
}

/** A record of the handshake (RFC 8446 section 5.1) with nothing in it that makes sense. */
const tlsRecord = Buffer.concat([Buffer.of(22, 3, 3, 64, 0), Buffer.alloc(16_384)]);
/** A server's hello that announces 16 MiB. */
const longHello = Buffer.concat([Buffer.of(22, 3, 3, 64, 0, 2, 255, 255, 255), Buffer.alloc(16_380, 1)]);

export const malformedTls: Readonly<Record<string, PeerBehaviour>> = {
  'a record, a byte at a time': drip(tlsRecord.toString('latin1')),
  'a hello without end': flood(longHello),
  'empty records without end': flood(Buffer.of(22, 3, 3, 0, 0)),
  'alerts without end': flood(Buffer.of(21, 3, 3, 0, 2, 1, 0)),
  'text without end': flood('220 this is no TLS\r\n'),
  'random bytes without end': flood(randomBytes(65_536)),
  'half a close': halfClose,
  silence,
  'an alert': once(Buffer.of(21, 3, 3, 0, 2, 2, 40)),
};

/** A frame of HTTP/2 (RFC 9113 section 4.1). */
export function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const empty = Buffer.alloc(0);
const settings = frame(4, 0, 0, empty);
/** `:status: 200` by its place in the static table. */
const ok = Buffer.of(0x88);
/** A header field without index, of 1000 bytes. */
const field = Buffer.concat([Buffer.from('\0\x06x-more\x7f\xe9\x06', 'latin1'), Buffer.alloc(1000, 120)]);
const response = [settings, frame(1, 4, 1, ok)];
const openResponse = [settings, frame(1, 0, 1, ok)];

/** Malformed answers by HTTP/2: frames at the start, and what follows the client's first bytes. */
export const malformedHttp2: readonly (readonly [string, readonly Buffer[], PeerBehaviour])[] = [
  ['settings without end', [settings], flood(frame(4, 0, 0, Buffer.from('000300000064', 'hex')))],
  ['pings without end', [settings], flood(frame(6, 0, 0, Buffer.alloc(8)))],
  ['headers without end', openResponse, flood(frame(9, 0, 1, field))],
  ['empty continuations without end', openResponse, flood(frame(9, 0, 1, empty))],
  ['a body without end', response, flood(frame(0, 0, 1, Buffer.alloc(16_384)))],
  ['empty pieces of body without end', response, flood(frame(0, 0, 1, empty))],
  ['promises without end', [settings], flood(frame(5, 4, 1, Buffer.concat([Buffer.of(0, 0, 0, 2), ok])))],
  ['unknown frames without end', [settings], flood(frame(77, 0, 0, Buffer.alloc(16_384)))],
  ['a byte at a time', [settings], drip(frame(1, 4, 1, field).toString('latin1'))],
  ['no HTTP/2 at all', [], flood('220 what?\r\n')],
  ['nothing', [settings], silence],
];

/** Malformed answers of a name server to a query. */
export const malformedNameReplies: Readonly<Record<string, (query: Buffer) => Buffer>> = {
  'answers to other questions': (query) => Buffer.concat([randomBytes(2), query.subarray(2)]),
  'its own question back': (query) => query,
  'names that point at themselves': (query) =>
    Buffer.concat([
      query.subarray(0, 2),
      Buffer.from('818000010001000000000000c00c', 'hex'),
      Buffer.alloc(1000, 0xc0),
    ]),
  '65535 records that are not there': (query) =>
    Buffer.concat([query.subarray(0, 2), Buffer.from('81800001ffffffffffff', 'hex'), query.subarray(12)]),
  'nothing but a head': (query) => query.subarray(0, 6),
};
