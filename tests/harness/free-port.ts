import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const span = 200;
const lowest = 10_000;
/** Where the kernel's own choices begin: a port below it is taken only by who asks for it by number. */
const ephemeral = firstEphemeral();
let turn = 0;

/**
 * A TCP port of 127.0.0.1 that nobody listens on. A process is never given the same one twice, two processes side by
 * side ask in ranges of their own, and no outgoing connection can take it meanwhile. Throws when a whole range is
 * taken.
 */
export async function freePort(): Promise<number> {
  const ranges = Math.floor((ephemeral - lowest) / span);
  const first = lowest + (process.pid % ranges) * span;
  while (turn < span) {
    const port = first + turn;
    turn += 1;
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port left from ${first} to ${first + span - 1}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

function firstEphemeral(): number {
  try {
    const first = Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/)[0]);
    return first >= lowest + 10 * span ? first : 32_768;
  } catch {
    return 32_768; // not Linux: IANA's dynamic ports begin later still
  }
}
