import type { Server, Socket } from 'node:net';
import { clientNetwork, createTurnQueue, declareShare } from '@vantage/kernel';

declareShare({
  name: 'tls_handshakes',
  limit: '4 in an iteration of the event loop, on each port',
  filledBy: 'strangers',
  share: 'addresses (IPv6: /64) take turns',
});

/** Calls back with a connection's first bytes, which stay readable. Destroys a connection that ends without bytes. */
export function onFirstBytes(socket: Socket, onBytes: (first: Buffer) => void): void {
  socket.on('error', () => socket.destroy());
  socket.once('readable', () => {
    const first: unknown = socket.read();
    if (!Buffer.isBuffer(first)) {
      socket.destroy();
      return;
    }
    socket.unshift(first);
    onBytes(first);
  });
}

/**
 * Passes connections to a TLS server that does not listen itself. At most a few handshakes begin per iteration of the
 * event loop, and the networks of the clients take turns, so that many strangers delay only themselves.
 */
export function createHandshakes(server: Pick<Server, 'emit'>): (socket: Socket) => void {
  const turns = createTurnQueue({ later: setImmediate });
  return (socket) =>
    turns.add(clientNetwork(socket.remoteAddress ?? ''), () => {
      if (!socket.destroyed) server.emit('connection', socket);
    });
}
