import type { Http2SecureServer } from 'node:http2';
import { createServer } from 'node:net';
import { Fault, messageOf } from '@vantage/kernel';

/** Listens on a port. When the port is taken, the Fault names the setting to change. */
export async function listenOn<T>(setting: string, port: number, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen();
  } catch (cause) {
    throw new Fault('stop', 'port', inTheWay(setting, port, cause), { cause });
  }
}

/**
 * The reason why a port of an address (undefined: of all addresses) cannot be listened on, in words; undefined when it
 * can.
 */
export function portProblem(
  setting: string,
  port: number,
  host: string | undefined,
): Promise<string | undefined> {
  if (port === 0) return Promise.resolve(undefined);
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error) => resolve(inTheWay(setting, port, error)));
    server.listen({ port, ...(host === undefined ? {} : { host }), exclusive: true }, () =>
      server.close(() => resolve(undefined)),
    );
  });
}

function inTheWay(setting: string, port: number, error: unknown): string {
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'EADDRINUSE':
      return `port ${port} is in use by another program; end it, or choose another port with ${setting}`;
    case 'EACCES':
      return `port ${port} needs more rights (ports below 1024); choose another with ${setting}`;
    case 'EADDRNOTAVAIL':
      return `port ${port} cannot be listened on: this machine does not have the address of VANTAGE_LISTEN`;
    default:
      return `port ${port} cannot be listened on (${messageOf(error)}); choose another with ${setting}`;
  }
}

/**
 * Connections that the kernel may hold until they are accepted; it takes no more than `net.core.somaxconn`. Where a
 * crowd of strangers fills the queue, everybody else's connection waits a second or more for a repeated SYN.
 */
export const listenBacklog = 65_535;

/** Listens with an HTTP/2 server; resolves with its port. */
export function listenHttp2(
  server: Http2SecureServer,
  port: number,
  host: string | undefined,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host === undefined ? {} : { host }), backlog: listenBacklog }, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : port);
    });
  });
}
