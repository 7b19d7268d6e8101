import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';

/** A connection of a stranger: its purpose, and whether the other side has closed it. */
export interface Intruder {
  readonly socket: Socket;
  readonly openedMs: number;
  /** Milliseconds from its opening to its end; undefined while it is open. */
  closedAfterMs: number | undefined;
}

/** The stranger's own address and the port that it attacks. */
export interface Way {
  readonly port: number;
  /** An address of 127.0.0.0/8. The controller distinguishes callers by it. */
  readonly from: string;
}

/** The port of a URL. */
export function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** Connects without TLS and sends nothing, or the given first bytes. */
export function openTcp({ port, from }: Way, first?: string | Uint8Array): Intruder {
  return watched(connect({ host: '127.0.0.1', port, localAddress: from }), first);
}

/** Connects with TLS, accepts any certificate, and sends the given first bytes after the handshake. */
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
  socket.on('error', () => {}); // an attack expects that the controller ends its connection
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

/** The number of files that this process may have open. */
export function descriptorLimit(pid: number | 'self'): number {
  return Number(/^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1] ?? 1024);
}

/** The first bytes of a request whose header never ends. */
export const halfHeader = 'GET /v1.1/devices HTTP/1.1\r\nHost: localhost\r\nX-Half: ';
/** A request whose body never comes. */
export const halfBody =
  'POST /v1.1/devices HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"';
/** A sign-in whose body never comes. */
export const halfSignIn = halfBody.replace('/v1.1/devices', '/v1.1/session');
/** The first bytes of a TLS record that announces more bytes than it has. */
export const halfHandshake = Uint8Array.of(0x16, 0x03, 0x01, 0x02, 0x00, 0x01);
/** The client's preface and an empty SETTINGS frame (RFC 9113, section 3.4). */
export const preface = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.of(0, 0, 0, 4, 0, 0, 0, 0, 0),
]);
