import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

/** A TCP server of a test on loopback, on a free port. */
export interface TestServer extends AsyncDisposable {
  readonly port: number;
  /** `127.0.0.1:port` */
  readonly target: string;
  /** The number of accepted connections. */
  readonly hits: number;
  /** The number of open connections. A probe that has ended leaves none. */
  open(): number;
  /** Resolves when this many connections were accepted. A client may finish before the server sees it. */
  reached(hits: number): Promise<void>;
  /** Resolves when no connection is open. */
  idle(): Promise<void>;
}

/** A port on which nobody listens, because it is reserved and in no ephemeral range. */
export const closedPort = 1;

/** Listens and calls `serve` for every connection. Errors of connections are ignored. */
export async function listen(serve: (socket: Socket) => void, host = '127.0.0.1'): Promise<TestServer> {
  const sockets = new Set<Socket>();
  const waiters = new Set<() => void>();
  let hits = 0;
  let whenIdle: (() => void) | undefined;
  const server = createServer({ noDelay: true }, (socket) => {
    hits += 1;
    for (const waiter of waiters) waiter();
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) whenIdle?.();
    });
    serve(socket);
    // A socket that is not read does not notice that the peer has closed.
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
        const waiter = () => {
          if (hits < count) return;
          waiters.delete(waiter);
          resolve();
        };
        waiters.add(waiter);
        waiter();
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
