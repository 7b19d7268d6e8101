import type { Server, Socket } from 'node:net';
import { clientNetwork, createTurnQueue, declareShare } from '@vantage/kernel';

declareShare({
  name: 'tls_handshakes',
  limit: '4 in an iteration of the event loop, on each port',
  filledBy: 'strangers',
  share: 'addresses (IPv6: /64) take turns',
});

/** Calls back with a connection's first bytes, which stay readable. A connection that ends before them is destroyed. */
export function onFirstBytes(socket: Socket, heard: (first: Buffer) => void): void {
  socket.on('error', () => socket.destroy());
  socket.once('readable', () => {
    const first: unknown = socket.read();
    if (!Buffer.isBuffer(first)) {
      socket.destroy();
      return;
    }
    socket.unshift(first);
    heard(first);
  });
}

/**
 * Hands connections to a TLS server that does not listen itself. A bounded number of handshakes begins in one iteration
 * of the event loop, one client network after the other, so a crowd of strangers delays only itself.
 */
export function createHandshakes(server: Pick<Server, 'emit'>): (socket: Socket) => void {
  const turns = createTurnQueue({ later: setImmediate });
  return (socket) =>
    turns.add(clientNetwork(socket.remoteAddress ?? ''), () => {
      if (!socket.destroyed) server.emit('connection', socket);
    });
}
