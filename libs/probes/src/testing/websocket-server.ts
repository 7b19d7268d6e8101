import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';

export interface WebSocketServerSettings {
  /** The line of its answer instead of the upgrade. */
  readonly refusal?: string;
  /** Headers of its answer, which replace its own ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Frames at once after the upgrade. */
  readonly greeting?: readonly Buffer[];
  /** The frames that answer a frame of the client. Default: a pong to a ping, an echo of a text. */
  readonly answer?: (code: number, payload: Buffer) => readonly Buffer[];
  /** Collects the heads of requests. */
  readonly requests?: string[];
}

/** A server's frame, which is not masked. */
export function serverFrame(code: number, payload: Buffer | string, isFinal = true): Buffer {
  const bytes = Buffer.from(payload);
  const size = Buffer.alloc(bytes.length < 126 ? 1 : 3);
  size[0] = Math.min(bytes.length, 126);
  if (bytes.length >= 126) size.writeUInt16BE(bytes.length, 1);
  return Buffer.concat([Buffer.from([(isFinal ? 128 : 0) | code]), size, bytes]);
}

const echo = (code: number, payload: Buffer) =>
  code === 9 ? [serverFrame(10, payload)] : code === 1 ? [serverFrame(1, payload)] : [];

/** Serves one connection like a healthy WebSocket server. */
export function serveWebSocket(socket: Socket, settings: WebSocketServerSettings = {}): void {
  const { refusal, greeting = [], answer = echo, requests } = settings;
  let waiting: Buffer = Buffer.alloc(0);
  let isOpen = false;
  const open = (head: string) => {
    requests?.push(head);
    if (refusal !== undefined) return void socket.end(`${refusal}\r\nContent-Length: 0\r\n\r\n`);
    const key = /^sec-websocket-key: (.*)$/im.exec(head)?.[1] ?? '';
    const accept = createHash('sha1')
      .update(`${key.trim()}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    const headers = {
      Upgrade: 'websocket',
      Connection: 'Upgrade',
      'Sec-WebSocket-Accept': accept,
      ...settings.headers,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    isOpen = true;
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`);
    for (const frame of greeting) socket.write(frame);
  };
  socket.on('data', (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk]);
    if (!isOpen) {
      const end = waiting.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = waiting.toString('latin1', 0, end);
      waiting = waiting.subarray(end + 4);
      open(head);
    }
    for (let frame = readFrame(waiting); frame; frame = readFrame(waiting)) {
      waiting = waiting.subarray(frame.end);
      if (frame.code === 8) socket.end();
      for (const each of answer(frame.code, frame.payload)) if (socket.writable) socket.write(each);
    }
  });
}

/** The first whole frame of a client, unmasked. */
function readFrame(
  bytes: Buffer,
): { readonly code: number; readonly payload: Buffer; readonly end: number } | undefined {
  const [first = 0, second = 0] = bytes;
  const isLong = (second & 127) === 126;
  if (bytes.length < (isLong ? 8 : 6)) return undefined;
  const size = isLong ? bytes.readUInt16BE(2) : second & 127;
  const start = isLong ? 8 : 6;
  if (bytes.length < start + size) return undefined;
  const mask = bytes.subarray(start - 4, start);
  const payload = bytes.subarray(start, start + size).map((byte, at) => byte ^ (mask[at & 3] ?? 0));
  return { code: first & 15, payload: Buffer.from(payload), end: start + size };
}
