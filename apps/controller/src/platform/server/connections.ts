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
  /** Takes a new connection in, or closes it; false when it closed it. */
  take(socket: Socket): boolean;
  /** Its first byte came: a TLS handshake begins, or HTTP in clear. */
  heard(socket: Socket, isTls: boolean): void;
  /** Its handshake is done; HTTP is spoken through `secured` from now on. */
  secured(secured: Socket): void;
  /** A request's header came. It begins when the answer before it on its connection has left. */
  request(arrived: ArrivedRequest): void;
  /** Closes those between two requests. */
  closeIdle(): void;
  /** Cuts all of them, and reviews them no more. */
  destroyAll(): void;
}

const reviewEveryMs = 1_000;

/**
 * Keeps the connections of a port within their caps and closes those that are overdue. (Node has deadlines of its own
 * for requests, but enforces them only in servers that listen by themselves.) With all places taken a new connection
 * gets the place of the one that waits longest without a request in work, of the network that holds the most; trusted
 * proxies keep theirs.
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
  /** A connection was closed because no place was left. */
  readonly onRefused: (address: string, reason: 'network' | 'total') => void;
  /**
   * A connection was cut because its client does not read, or ends because the client sent too many requests without
   * waiting for answers.
   */
  readonly onUnread: (address: string, reason: 'bytes' | 'requests') => void;
  /** The most that all connections together keep for clients that do not read. */
  readonly unsentBytes?: number;
}): Connections {
  const table = createConnectionTable();
  const traffic = createConnectionTraffic({ clock, table, capBytes: unsentBytes, onUnread });
  let reviewing: Disposable | undefined;

  const review = () => {
    reviewing = undefined;
    const nowMs = clock.monoMs();
    for (const one of table.all()) {
      traffic.advance(one);
      if (isOverdue(one.phase, nowMs, limits)) one.socket.destroy();
    }
    if (table.size > 0) reviewing = clock.timer(reviewEveryMs, review);
  };
  const refuse = (socket: Socket, reason: 'network' | 'total'): false => {
    onRefused(socket.remoteAddress ?? '', reason);
    socket.destroy();
    return false;
  };

  return {
    take(socket) {
      const { remoteAddress } = socket;
      const name = nameOf(socket);
      if (remoteAddress === undefined || name === undefined) {
        socket.destroy(); // gone already
        return false;
      }
      const network = clientNetwork(remoteAddress);
      const proxied = isProxy(remoteAddress);
      const admission = admit(
        { fromNetwork: table.countOf(network), open: table.size, isProxy: proxied },
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
      const one = newConnection({ name, network, isProxy: proxied, socket }, clock.monoMs());
      table.add(one);
      socket.once('close', () => traffic.remove(one));
      reviewing ??= clock.timer(reviewEveryMs, review);
      return true;
    },
    heard(socket, isTls) {
      const one = table.find(socket);
      if (one === undefined) return;
      const sinceMs = clock.monoMs();
      one.phase = isTls ? { kind: 'handshake', sinceMs } : { kind: 'receiving', sinceMs, begun: 0 };
    },
    secured(secured) {
      const one = table.find(secured);
      if (one === undefined) {
        secured.destroy();
        return;
      }
      one.spoken = secured;
      one.phase = { kind: 'receiving', sinceMs: clock.monoMs(), begun: 0 };
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
