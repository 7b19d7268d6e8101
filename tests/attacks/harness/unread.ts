import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { AttackFixture } from './attack-fixture.ts';
import { portOf } from './stranger.ts';

/** Requests of a client that does not read the answers. */
export interface Unread {
  /** Addresses of 127.0.0.0/8; the connections are spread over them. */
  readonly from: readonly string[];
  readonly connections: number;
  /** Sent on each connection after the handshake. */
  readonly text: string;
  readonly unreadMs: number;
  /** Read on each connection; 0: nothing is read at all. */
  readonly bytesPerSecond?: number;
}

const readEveryMs = 100;
/** Handshakes that run at one time, so that an attack is about its answers. */
const handshakesAtOnce = 16;

/**
 * Opens the connections, sends the requests, and leaves the answers unread for a time. Returns how many connections
 * were cut meanwhile.
 */
export async function leaveUnread(port: number, attack: Unread): Promise<number> {
  const { from, connections, text, unreadMs, bytesPerSecond = 0 } = attack;
  const sockets: Socket[] = [];
  let cut = 0;
  for (let i = 0; i < connections; i += handshakesAtOnce) {
    const count = Math.min(handshakesAtOnce, connections - i);
    sockets.push(
      ...(await Promise.all(
        Array.from({ length: count }, (_, j) => openUnread(port, from[(i + j) % from.length] ?? '')),
      )),
    );
  }
  for (const socket of sockets) {
    socket.once('close', () => {
      cut += 1;
    });
    socket.write(text);
  }
  const share = Math.ceil((bytesPerSecond * readEveryMs) / 1_000);
  const reading = setInterval(() => {
    for (const socket of sockets) if (share > 0) socket.read(Math.min(share, socket.readableLength));
  }, readEveryMs);
  await delay(unreadMs);
  clearInterval(reading);
  const cutMeanwhile = cut;
  for (const socket of sockets) socket.destroy();
  return cutMeanwhile;
}

/** A TLS connection that reads nothing until it is told to. */
function openUnread(port: number, from: string): Promise<Socket> {
  const tcp = connect({ host: '127.0.0.1', port, localAddress: from });
  const socket = connectTls({ socket: tcp, rejectUnauthorized: false });
  return new Promise((resolve) => {
    socket.on('error', () => {}); // an attack expects that the controller ends its connection
    socket.once('secureConnect', () => resolve(socket));
    socket.once('close', () => resolve(socket));
  });
}

/** A GET as HTTP/1.1, or as HTTP/1.0 with a connection that stays. */
export function get(path: string, key?: string, version: '1.0' | '1.1' = '1.1'): string {
  const keep = version === '1.0' ? 'Connection: keep-alive\r\n' : '';
  return `GET ${path} HTTP/${version}\r\nHost: localhost\r\n${keep}${keyLine(key)}\r\n`;
}

/** A batch of the same read. A short one fits into one read of the controller many times. */
export function batchOf(path: string, count: number, key: string): string {
  const body = JSON.stringify({
    Operations: Array.from({ length: count }, () => ({ Method: 'GET', Path: path })),
  });
  const head = `POST /v1.1/batch HTTP/1.1\r\nHost: localhost\r\n${keyLine(key)}Content-Type: application/json\r\nContent-Length: ${body.length}`;
  return `${head}\r\n\r\n${body}`;
}

function keyLine(key: string | undefined): string {
  return key === undefined ? '' : `Service-API-Key: ${key}\r\n`;
}

/** The REST port and the agents' port of a fixture. */
export function portsOf({ baseUrl, agentEndpoint }: AttackFixture): {
  readonly rest: number;
  readonly agents: number;
} {
  return { rest: portOf(baseUrl), agents: portOf(agentEndpoint) };
}
