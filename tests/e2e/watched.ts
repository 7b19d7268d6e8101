import { createSocket } from 'node:dgram';
import { createServer as createHttpServer } from 'node:http';
import { freePort } from '@vantage/testing/free-port';
import { ip, netnsMissing } from '../harness/netns.ts';
import { startTarget } from '../harness/target.ts';

/** A target that a device can check, and that can stop and start again. */
export interface Watched extends AsyncDisposable {
  readonly method: 'HTTP' | 'TCP' | 'DNS' | 'PING';
  readonly url: string;
  kill(): Promise<void>;
  revive(): Promise<void>;
}

/** An HTTP server that answers 200. */
export async function httpServer(): Promise<Watched> {
  const port = await freePort();
  let server = createHttpServer((_req, res) => res.end('well'));
  const start = () =>
    new Promise<void>((resolve) => {
      server = createHttpServer((_req, res) => res.end('well'));
      server.listen(port, '127.0.0.1', resolve);
    });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await start();
  return {
    method: 'HTTP',
    url: `http://127.0.0.1:${port}/`,
    kill: stop,
    revive: start,
    [Symbol.asyncDispose]: stop,
  };
}

/** A TCP server with a banner. */
export async function tcpServer(): Promise<Watched> {
  const target = await startTarget();
  return {
    method: 'TCP',
    url: `127.0.0.1:${target.port}`,
    kill: () => target.stop(),
    revive: () => target.start(),
    [Symbol.asyncDispose]: () => target.stop(),
  };
}

/** A DNS server that answers every question with 192.0.2.7 (RFC 1035, section 4). */
export async function dnsServer(): Promise<Watched> {
  const port = await freePort();
  let socket = createSocket('udp4');
  const start = () =>
    new Promise<void>((resolve) => {
      socket = createSocket('udp4');
      socket.on('message', (question, from) => {
        const end = question.indexOf(0, 12) + 5; // the name's end, then type and class
        const header = Buffer.from([...question.subarray(0, 2), 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
        const answer = Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7]);
        socket.send(Buffer.concat([header, question.subarray(12, end), answer]), from.port, from.address);
      });
      socket.bind(port, '127.0.0.1', resolve);
    });
  const stop = () => new Promise<void>((resolve) => socket.close(() => resolve()));
  await start();
  return {
    method: 'DNS',
    url: `dns://127.0.0.1:${port}/well.example?type=A`,
    kill: stop,
    revive: start,
    [Symbol.asyncDispose]: stop,
  };
}

const pinged = '127.88.0.1';
const rule = ['unreachable', `${pinged}/32`, 'table', 'local'];

/** The reason why this machine cannot make an address unreachable; undefined when it can. */
export const noPing = netnsMissing();

/** An address of this machine; `kill` makes it unreachable (needs root). */
export async function pingAddress(): Promise<Watched> {
  let dead = false;
  const revive = async () => {
    if (dead) ip('route', 'del', ...rule);
    dead = false;
  };
  return {
    method: 'PING',
    url: pinged,
    kill: async () => {
      ip('route', 'add', ...rule);
      dead = true;
    },
    revive,
    [Symbol.asyncDispose]: revive,
  };
}
