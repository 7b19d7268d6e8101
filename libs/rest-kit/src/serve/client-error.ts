import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { answerProblem } from './answer.ts';
import type { createOriginReader } from './origin.ts';
import { httpsRequired, malformed } from './problem.ts';

/** After the answer a client has this long to read it and to close the connection. */
const lingerMs = 5_000;

/**
 * Creates the answer to what node could not parse (a header too long, no HTTP), for the server's `clientError`: in the
 * API's shape, and in clear always that HTTPS is required. It drains what the client still sends: a TCP reset would
 * discard the answer.
 */
export function createClientErrorAnswer(
  readOrigin: ReturnType<typeof createOriginReader>,
): (error: Error, socket: Duplex) => void {
  return (error, socket) => {
    if (socket.writableEnded && !socket.destroyed) return; // answered: this is what still came
    if (!socket.writable || ('code' in error && error.code === 'ECONNRESET')) {
      socket.destroy();
      return;
    }
    const { status, headers, body } = answerProblem(problemOf(error, socket, readOrigin));
    const lines = { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
    const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} Bad Request\r\n${head.join('')}\r\n${body}`);
    const cut = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(cut));
    socket.resume();
  };
}

function problemOf(error: Error, socket: Duplex, readOrigin: ReturnType<typeof createOriginReader>) {
  if (socket instanceof Socket) {
    const { secure, proxied } = readOrigin({ socket, headers: {} });
    if (!secure && !proxied) return httpsRequired();
  }
  const tooLong = 'code' in error && error.code === 'HPE_HEADER_OVERFLOW';
  return malformed(
    tooLong ? 'The request line or a header is too long.' : 'This is not a valid HTTP request.',
  );
}
