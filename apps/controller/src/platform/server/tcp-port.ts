import { createServer, type Server, type Socket } from 'node:net';

/**
 * Connections that the kernel may hold until they are accepted; it takes no more than `net.core.somaxconn`. Where a
 * crowd of strangers fills the queue, everybody else's connection waits a second or more for a repeated SYN.
 */
const listenBacklog = 65_535;

/**
 * Sockets that listen on one port. libuv accepts one connection of a listening socket in an iteration of the event
 * loop. With a single socket each new connection would wait one iteration for each connection before it: seconds,
 * when strangers open thousands and the controller is busy. The kernel spreads connections over the sockets.
 */
const socketsOfPort = process.platform === 'linux' ? 32 : 1;

/** A TCP port with several listening sockets. */
export interface TcpPort {
  /** Resolves with the port. With port 0 it takes a free one. Rejects when the port is taken. */
  listen(port: number, host: string | undefined): Promise<number>;
  /** Accepts no more connections; resolves when all that were accepted have ended. */
  close(): Promise<void>;
}

/** Creates a port that hands over each connection. It does not listen yet. */
export function createTcpPort(take: (socket: Socket) => void): TcpPort {
  const servers = Array.from({ length: socketsOfPort }, () => createServer({ noDelay: true }, take));
  const close = async () => {
    await Promise.all(servers.map((server) => closed(server)));
  };
  return {
    async listen(port, host) {
      // Sockets with SO_REUSEPORT may share a port with those of another controller: only this one notices it.
      if (port !== 0) await probe(port, host);
      let bound = port;
      try {
        for (const server of servers)
          bound = await listenIn(server, { port: bound, host, reusePort: servers.length > 1 });
      } catch (error) {
        await close();
        throw error;
      }
      return bound;
    },
    close,
  };
}

/** Rejects when the port is taken. */
export async function probe(port: number, host: string | undefined): Promise<void> {
  const server = createServer();
  await listenIn(server, { port, host, reusePort: false });
  await closed(server);
}

function listenIn(
  server: Server,
  {
    host,
    ...options
  }: { readonly port: number; readonly host: string | undefined; readonly reusePort: boolean },
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...options, ...(host === undefined ? {} : { host }), backlog: listenBacklog }, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : options.port);
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => void server.close(() => resolve()));
}
