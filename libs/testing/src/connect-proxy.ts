import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** An HTTP proxy that connects to wherever it is asked to. */
export interface ConnectProxy extends AsyncDisposable {
  readonly port: number;
  /** The `host:port` of each connection, in the sequence of the requests. */
  readonly asked: readonly string[];
  /** Cuts the present connections. */
  cut(): void;
}

/** Starts a proxy on an address of this machine, for everybody, or for the user and password `user:password`. */
export async function startConnectProxy(address: string, credentials?: string): Promise<ConnectProxy> {
  const expected =
    credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
  const asked: string[] = [];
  const open = new Set<Duplex>();
  const server = createServer((_, response) => response.writeHead(405).end());
  server.on('connect', (request, socket) => {
    const place = request.url ?? '';
    if (request.headers['proxy-authorization'] !== expected) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    asked.push(place);
    const { hostname, port } = new URL(`http://${place}`);
    const onward = connect(Number(port), hostname.replace(/^\[|\]$/g, ''), () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : 0,
    asked,
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
