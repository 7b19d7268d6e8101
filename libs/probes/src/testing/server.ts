import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

/** A TCP server on loopback, port 0, for one test. */
export interface TestServer extends AsyncDisposable {
  readonly port: number;
  /** `127.0.0.1:port`, a target as most methods take it. */
  readonly target: string;
  /** Connections taken so far. */
  readonly hits: number;
  /** Connections open now; a probe that ended leaves none. */
  open(): number;
  /** Resolves when so many connections have been taken: a client may be done with one before the server sees it. */
  reached(hits: number): Promise<void>;
  /** Resolves when no connection is open any more. */
  idle(): Promise<void>;
}

/**
 * A port of loopback on which nobody listens: reserved, and in no range from which ports are given, so nobody takes it.
 */
export const closedPort = 1;

/** Listens and hands every connection to `serve`; errors of the connections are the client's business. */
export async function listen(serve: (socket: Socket) => void, host = '127.0.0.1'): Promise<TestServer> {
  const sockets = new Set<Socket>();
  const awaited = new Set<() => void>();
  let hits = 0;
  let whenIdle: (() => void) | undefined;
  const server = createServer({ noDelay: true }, (socket) => {
    hits += 1;
    for (const each of awaited) each();
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) whenIdle?.();
    });
    serve(socket);
    // Who does not read never learns that the other side is gone.
    if (socket.listenerCount('data') === 0) socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = addressOf(server.address());
  return {
    port,
    target: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
    get hits() {
      return hits;
    },
    open: () => sockets.size,
    reached: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (hits < count) return;
          awaited.delete(look);
          resolve();
        };
        awaited.add(look);
        look();
      }),
    idle: () =>
      new Promise((resolve) => {
        if (sockets.size === 0) resolve();
        else whenIdle = resolve;
      }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A listening server's address; throws for a pipe. */
export function addressOf(address: string | AddressInfo | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new TypeError('no TCP address');
  return address;
}
