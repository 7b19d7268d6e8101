import { createServer, type Server, type Socket } from 'node:net';
import { freePort } from '@vantage/testing/free-port';

/** The behaviour of a scripted target towards a connection. */
type Manner = 'ok' | 'silent' | 'reset';

/** A TCP target that stamps and counts every connection. Tests compare the product's records with it. */
export interface Target extends AsyncDisposable {
  readonly port: number;
  /** Wall clock (ms since 1970) of every accepted connection. */
  readonly hits: readonly number[];
  /** The behaviour towards new connections. */
  manner: Manner;
  /** Stops listening (connections are refused from now on). */
  stop(): Promise<void>;
  /** Listens again on the same port. */
  start(): Promise<void>;
}

/** Starts a target on `host`; port 0 chooses a free one. Each connection gets `220 ready <count>` and is closed. */
export async function startTarget(host = '127.0.0.1', port = 0): Promise<Target> {
  const hits: number[] = [];
  const open = new Set<Socket>();
  let manner: Manner = 'ok';
  let server: Server | undefined;
  // A port that the target can use again after a stop.
  let boundPort = port === 0 && host === '127.0.0.1' ? await freePort() : port;
  const serve = (socket: Socket) => {
    hits.push(Date.now());
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    if (manner === 'reset') socket.resetAndDestroy();
    else if (manner === 'ok') socket.end(`220 ready ${hits.length}\r\n`);
  };
  const start = () =>
    new Promise<void>((resolve, reject) => {
      const listener = createServer(serve);
      listener.once('error', reject);
      listener.listen({ host, port: boundPort, backlog: 4096 }, () => {
        const address = listener.address();
        if (address !== null && typeof address === 'object') boundPort = address.port;
        server = listener;
        resolve();
      });
    });
  const stop = () =>
    new Promise<void>((resolve) => {
      for (const socket of open) socket.destroy();
      const listener = server;
      server = undefined;
      if (listener) listener.close(() => resolve());
      else resolve();
    });
  await start();
  return {
    get port() {
      return boundPort;
    },
    hits,
    get manner() {
      return manner;
    },
    set manner(next) {
      manner = next;
    },
    stop,
    start,
    [Symbol.asyncDispose]: stop,
  };
}
