import { randomBytes } from 'node:crypto';
import { resultCode } from '@vantage/domain';
import { quoteShort } from '../../contract/display.ts';
import { Failure } from '../../contract/failure.ts';
import type { Dialogue } from '../../dialogue/dialogue.ts';
import { wrongProtocol } from '../../dialogue/receive-buffer.ts';

// Frames of a WebSocket (RFC 6455 section 5).

const opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A message of the server, or its pong. */
interface WebSocketMessage {
  readonly kind: 'text' | 'binary' | 'pong';
  /** A message has its first 256 KiB. */
  readonly payload: Buffer;
}

/** An open WebSocket. */
export interface WebSocketChannel {
  send(kind: 'text' | 'ping', payload: string): Promise<void>;
  /** The next message or pong. Answers pings. Throws Failure 3 if the server closes or breaks the protocol. */
  next(): Promise<WebSocketMessage>;
  /** Tells the server the end, and does not wait. */
  close(): Promise<void>;
}

const maxKeptBytes = 256 * 1024;
const maxControlBytes = 125;
const bytesAtOnce = 64 * 1024;
/** Waiting frames are read without a pause. After this many, other work runs first. */
const framesAtOnce = 200;
/** After this many parts of a message, they are joined. */
const partsAtOnce = 256;
/** The code of a normal end. */
const normalEnd = 1000;

/** A client's frame, which is masked (section 5.3). */
export function clientFrame(code: number, payload: Buffer, mask = randomBytes(4)): Buffer {
  const size = payload.length;
  const head =
    size <= maxControlBytes
      ? Buffer.from([128 | code, 128 | size])
      : size < 65_536
        ? Buffer.from([128 | code, 128 | 126, size >> 8, size & 255])
        : Buffer.concat([Buffer.from([128 | code, 128 | 127]), longSize(size)]);
  const masked = Buffer.from(payload.map((byte, at) => byte ^ (mask[at & 3] ?? 0)));
  return Buffer.concat([head, mask, masked]);
}

function longSize(size: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(size));
  return bytes;
}

interface Frame {
  readonly isFinal: boolean;
  readonly code: number;
  readonly payload: Buffer;
}

/** Creates the channel of a dialogue after its upgrade. */
export function createWebSocketChannel(dialogue: Dialogue): WebSocketChannel {
  const { peer } = dialogue.connection;
  let frames = 0;
  const write = (code: number, payload: Buffer, shown: string) =>
    dialogue.write(clientFrame(code, payload), shown);

  const readFrame = async (room: number): Promise<Frame> => {
    frames += 1;
    if (frames % framesAtOnce === 0) await new Promise((resolve) => setImmediate(resolve));
    const [first = 0, second = 0] = await dialogue.readExactly(2);
    const code = first & 15;
    const isControl = code >= 8;
    const isFinal = first >= 128;
    const isKnown = code <= opcode.binary || (code >= opcode.close && code <= opcode.pong);
    if ((first & 112) !== 0 || !isKnown) throw wrongProtocol(peer, 'no frame of a WebSocket');
    if (second >= 128) throw wrongProtocol(peer, 'a masked frame');
    const size = await readSize(second);
    if (isControl && (!isFinal || size > maxControlBytes)) throw wrongProtocol(peer, 'a long control frame');
    const keptBytes = isControl ? size : Math.min(size, room);
    const payload = await dialogue.readExactly(keptBytes);
    for (let left = size - keptBytes; left > 0; )
      left -= (await dialogue.readSome(Math.min(left, bytesAtOnce))).length;
    return { isFinal, code, payload };
  };
  const readSize = async (second: number): Promise<number> => {
    if (second <= maxControlBytes) return second;
    if (second === 126) return (await dialogue.readExactly(2)).readUInt16BE(0);
    const size = (await dialogue.readExactly(8)).readBigUInt64BE(0);
    if (size > BigInt(Number.MAX_SAFE_INTEGER)) throw wrongProtocol(peer, 'a frame of more than 8 PiB');
    return Number(size);
  };
  /** Answers a ping and the end of the server; undefined for a frame of a message. */
  const control = async ({ code, payload }: Frame): Promise<WebSocketMessage | 'done' | undefined> => {
    switch (code) {
      case opcode.ping:
        await write(opcode.pong, payload, '(pong)');
        return 'done';
      case opcode.pong:
        return { kind: 'pong', payload };
      case opcode.close:
        throw closed(peer, payload);
      default:
        return undefined;
    }
  };
  /** The parts of the message that is being read. A pong may come between them. */
  let parts: { readonly kind: 'text' | 'binary'; readonly chunks: Buffer[]; bytes: number } | undefined;
  return {
    send: (kind, payload) =>
      write(opcode[kind], Buffer.from(payload), kind === 'text' ? payload : `(ping ${payload})`),
    async next() {
      while (true) {
        const frame = await readFrame(maxKeptBytes - (parts?.bytes ?? 0));
        const answered = await control(frame);
        if (answered === 'done') continue;
        if (answered) return answered;
        const { code, payload, isFinal } = frame;
        if ((code === opcode.continuation) !== (parts !== undefined))
          throw wrongProtocol(peer, 'a part of no message');
        parts ??= { kind: code === opcode.text ? 'text' : 'binary', chunks: [], bytes: 0 };
        if (payload.length > 0) parts.chunks.push(payload);
        parts.bytes += payload.length;
        // Many small parts would cost more memory than their bytes.
        if (parts.chunks.length >= partsAtOnce)
          parts.chunks.splice(0, partsAtOnce, Buffer.concat(parts.chunks));
        if (!isFinal) continue;
        const { kind, chunks } = parts;
        parts = undefined;
        return { kind, payload: Buffer.concat(chunks) };
      }
    },
    close: () => write(opcode.close, Buffer.from([normalEnd >> 8, normalEnd & 255]), '(close 1000)'),
  };
}

/** The failure of a WebSocket that the server closes, with its code and reason (section 7.4). */
function closed(peer: string, payload: Buffer): Failure {
  const code = payload.length < 2 ? '' : ` ${payload.readUInt16BE(0)}`;
  const reason = payload.length > 2 ? ` ${quoteShort(payload.toString('utf8', 2))}` : '';
  const why = code + reason === '' ? '' : `:${code}${reason}`;
  return new Failure(resultCode.protocol, `${peer} closed the WebSocket${why}`);
}
