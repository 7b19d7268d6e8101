import { createServer, type Server, type Socket } from 'node:net';

/**
 * Connections that the kernel queues until they are accepted, limited by `net.core.somaxconn`. When strangers fill the
 * queue, every other connection waits a second or more for a repeated SYN.
 */
const listenBacklog = 65_535;

/**
 * Listening sockets of one port. libuv accepts one connection per listening socket and iteration of the event loop.
 * With a single socket a new connection would wait one iteration for each earlier connection, which takes seconds when
 * strangers open thousands and the controller is busy. The kernel distributes the connections over the sockets.
 */
const socketsOfPort = process.platform === 'linux' ? 32 : 1;

/** A TCP port with several listening sockets. */
export interface TcpPort {
  /** Resolves with the port. Port 0 selects a free one. Rejects when the port is in use. */
  listen(port: number, host: string | undefined): Promise<number>;
  /** Accepts no more connections; resolves when all accepted connections have ended. */
  close(): Promise<void>;
}

/** Creates a port, which does not listen yet. */
export function createTcpPort(onConnection: (socket: Socket) => void): TcpPort {
  const servers = Array.from({ length: socketsOfPort }, () => createServer({ noDelay: true }, onConnection));
  const close = async () => {
    await Promise.all(servers.map((server) => closed(server)));
  };
  return {
    async listen(port, host) {
      // Sockets with SO_REUSEPORT could share the port with another controller, which only this check notices.
      if (port !== 0) await tryPort(port, host);
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

/** Rejects when the port is in use. */
export async function tryPort(port: number, host: string | undefined): Promise<void> {
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
