import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';

/** A connection of a stranger: what it was opened for and whether the other side has closed it. */
export interface Intruder {
  readonly socket: Socket;
  readonly openedMs: number;
  /** Milliseconds after opening at which it was over; undefined while it stands. */
  closedAfterMs: number | undefined;
}

/** Where a stranger comes from and goes to. */
export interface Way {
  readonly port: number;
  /** An address of 127.0.0.0/8: callers are told apart by it. */
  readonly from: string;
}

/** The port of an URL. */
export function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** Connects in clear and leaves it at that, or sends a beginning. */
export function openTcp({ port, from }: Way, first?: string | Uint8Array): Intruder {
  return watched(connect({ host: '127.0.0.1', port, localAddress: from }), first);
}

/** Connects by TLS, believing any certificate, and sends a beginning once the handshake is done. */
export function openTls({ port, from }: Way, first?: string | Uint8Array, protocols?: string[]): Intruder {
  const socket: TLSSocket = connectTls({
    socket: connect({ host: '127.0.0.1', port, localAddress: from }),
    rejectUnauthorized: false,
    ...(protocols ? { ALPNProtocols: protocols } : {}),
  });
  return watched(socket, first);
}

function watched(socket: Socket, first: string | Uint8Array | undefined): Intruder {
  const intruder: Intruder = { socket, openedMs: performance.now(), closedAfterMs: undefined };
  socket.on('error', () => {}); // being thrown out is what attacks are for
  socket.on('data', () => {});
  const over = () => {
    intruder.closedAfterMs ??= performance.now() - intruder.openedMs;
    socket.destroy();
  };
  socket.once('end', over);
  socket.once('close', over);
  if (first !== undefined) socket.write(first);
  return intruder;
}

/** How many files this process may have open. */
export function descriptorLimit(pid: number | 'self'): number {
  return Number(/^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1] ?? 1024);
}

/** The beginning of a request that never ends its header. */
export const halfHeader = 'GET /v1.1/devices HTTP/1.1\r\nHost: localhost\r\nX-Half: ';
/** A request whose body does not come. */
export const halfBody =
  'POST /v1.1/devices HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"';
/** First bytes of a TLS record that announces more than comes. */
export const halfHandshake = Uint8Array.of(0x16, 0x03, 0x01, 0x02, 0x00, 0x01);
/** The client's preface and an empty SETTINGS frame (RFC 9113, section 3.4). */
export const preface = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.of(0, 0, 0, 4, 0, 0, 0, 0, 0),
]);
