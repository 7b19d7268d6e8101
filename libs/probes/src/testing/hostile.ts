import type { Socket } from 'node:net';

/** The behaviour of a hostile server on a connection from some moment on; `write` reaches the client. */
export type HostileBehaviour = (socket: Socket, write: (bytes: Buffer | string) => boolean) => void;

/**
 * Milliseconds between two chunks of a flood: 16 MB a second to each client are enough, and leave a busy machine its
 * breath.
 */
const floodEveryMs = 4;

/** Sends a piece again and again, as fast as the client takes it, up to 16 MB a second. */
export function flood(piece: string | Buffer): HostileBehaviour {
  const bytes = Buffer.from(piece);
  const chunk = Buffer.concat(Array.from({ length: Math.ceil(65_536 / bytes.length) }, () => bytes));
  return (socket, write) => {
    let full = false;
    const timer = setInterval(() => {
      if (!full && !socket.destroyed) full = !write(chunk);
    }, floodEveryMs);
    socket.on('drain', () => {
      full = false;
    });
    socket.on('close', () => clearInterval(timer));
  };
}

/** Sends a text byte by byte, over and over; 20 a second instead of one, to shorten the test. */
export function drip(text: string): HostileBehaviour {
  return (socket, write) => {
    let at = 0;
    const timer = setInterval(() => {
      write(text.charAt(at % text.length));
      at += 1;
    }, 50);
    socket.on('close', () => clearInterval(timer));
  };
}

/** Sends bytes once and nothing more. */
export function once(piece: string | Buffer): HostileBehaviour {
  return (_socket, write) => void write(Buffer.from(piece));
}

/** Ends its own side and goes on listening for ever. */
export const halfClose: HostileBehaviour = (socket) => {
  socket.allowHalfOpen = true;
  socket.end();
};

/** A server that is good up to its `stage`-th write (from 0) and mean from then on. */
export function hostileAt(stage: number, good: (socket: Socket) => void, mean: HostileBehaviour) {
  return (socket: Socket): void => {
    const write = socket.write.bind(socket);
    let writes = 0;
    const counting = (bytes: Buffer | string): boolean => {
      writes += 1;
      if (writes <= stage) return write(bytes);
      if (writes === stage + 1) mean(socket, write);
      return true;
    };
    Object.assign(socket, { write: counting });
    good(socket);
  };
}
