import type { Socket } from 'node:net';
import { type Clock, clientNetwork } from '@vantage/kernel';
import { admit, type ConnectionCaps } from './connection-caps.ts';
import { isOverdue, type PhaseLimits } from './connection-phase.ts';
import { createConnectionTable, nameOf, newConnection } from './connection-table.ts';
import { createConnectionTraffic } from './connection-traffic.ts';
import type { ArrivedRequest } from './request-turns.ts';
import { unsentCapBytes } from './unsent-bytes.ts';

/** The open connections of a port that speaks HTTP. */
export interface Connections {
  /** Admits a new connection; false: it was closed. */
  admit(socket: Socket): boolean;
  /** Call it at the first byte: a TLS handshake or plain HTTP begins. */
  firstByte(socket: Socket, isTls: boolean): void;
  /** Call it when the handshake has ended; from now on `secured` carries HTTP. */
  secured(secured: Socket): void;
  /** Call it when the header of a request has arrived. It starts after the previous answer on its connection. */
  request(arrived: ArrivedRequest): void;
  /** Closes the connections that wait for a request. */
  closeIdle(): void;
  /** Closes all connections, and ends their review. */
  destroyAll(): void;
}

const reviewEveryMs = 1_000;

/**
 * Keeps the connections of a port within their caps, and closes overdue connections. (Node has deadlines for requests,
 * but enforces them only in servers that listen themselves.) When the port is full, a new connection replaces the one
 * that has waited longest without a running request, in the network with the most connections. Connections of trusted
 * proxies are not replaced.
 */
export function createConnections({
  clock,
  caps,
  limits,
  isProxy,
  onRefused,
  onUnread,
  unsentBytes = unsentCapBytes,
}: {
  readonly clock: Clock;
  readonly caps: ConnectionCaps;
  readonly limits: PhaseLimits;
  readonly isProxy: (address: string) => boolean;
  /** Called when a connection was closed because of the caps. */
  readonly onRefused: (address: string, reason: 'network' | 'total') => void;
  /**
   * Called when a connection was closed because its client does not read, or ends because the client sent too many
   * requests without waiting for answers.
   */
  readonly onUnread: (address: string, reason: 'bytes' | 'requests') => void;
  /** The maximum that all connections together buffer for clients that do not read. */
  readonly unsentBytes?: number;
}): Connections {
  const table = createConnectionTable();
  const traffic = createConnectionTraffic({ clock, table, capBytes: unsentBytes, onUnread });
  let reviewing: Disposable | undefined;

  const review = () => {
    reviewing = undefined;
    const nowMs = clock.monoMs();
    for (const connection of table.all()) {
      traffic.advance(connection);
      if (isOverdue(connection.phase, nowMs, limits)) connection.socket.destroy();
    }
    if (table.size > 0) reviewing = clock.timer(reviewEveryMs, review);
  };
  const refuse = (socket: Socket, reason: 'network' | 'total'): false => {
    onRefused(socket.remoteAddress ?? '', reason);
    socket.destroy();
    return false;
  };

  return {
    admit(socket) {
      const { remoteAddress } = socket;
      const name = nameOf(socket);
      if (remoteAddress === undefined || name === undefined) {
        socket.destroy(); // it has already ended
        return false;
      }
      const network = clientNetwork(remoteAddress);
      const fromProxy = isProxy(remoteAddress);
      const admission = admit(
        { fromNetwork: table.countOf(network), open: table.size, isProxy: fromProxy },
        caps,
      );
      if (admission === 'refuse') return refuse(socket, 'network');
      if (admission === 'admit-and-evict') {
        const idlest = table.findIdlest();
        if (idlest === undefined) return refuse(socket, 'total');
        onRefused(idlest.socket.remoteAddress ?? '', 'total');
        idlest.socket.destroy();
        traffic.remove(idlest);
      }
      const connection = newConnection({ name, network, isProxy: fromProxy, socket }, clock.monoMs());
      table.add(connection);
      socket.once('close', () => traffic.remove(connection));
      reviewing ??= clock.timer(reviewEveryMs, review);
      return true;
    },
    firstByte(socket, isTls) {
      const connection = table.find(socket);
      if (connection === undefined) return;
      const sinceMs = clock.monoMs();
      connection.phase = isTls ? { kind: 'handshake', sinceMs } : { kind: 'receiving', sinceMs, begun: 0 };
    },
    secured(secured) {
      const connection = table.find(secured);
      if (connection === undefined) {
        secured.destroy();
        return;
      }
      connection.httpSocket = secured;
      connection.phase = { kind: 'receiving', sinceMs: clock.monoMs(), begun: 0 };
    },
    request: (arrived) => traffic.request(arrived),
    closeIdle() {
      for (const { phase, socket } of table.all()) if (phase.kind === 'idle') socket.destroy();
    },
    destroyAll() {
      reviewing?.[Symbol.dispose]();
      reviewing = undefined;
      for (const { socket } of table.all()) socket.destroy();
    },
  };
}
