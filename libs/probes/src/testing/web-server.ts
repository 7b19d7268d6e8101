import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { addressOf } from './server.ts';

/** A web server of a test on loopback, on a free port. */
export interface TestSite extends AsyncDisposable {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly port: number;
}

/** Starts a server of `node:http`, `node:https` or `node:http2`. Disposing it also ends its connections. */
export async function startSite(server: Server, scheme: string): Promise<TestSite> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = addressOf(server.address());
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function serveSite(serve: RequestListener): Promise<TestSite> {
  return startSite(createServer(serve), 'http');
}

/** Answers all requests alike. */
export function answerWith(status: number, body: string | Buffer = '', headers: Record<string, string> = {}) {
  return (_request: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(status, headers).end(body);
}
