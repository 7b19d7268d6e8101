import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, clientNetwork } from '@vantage/kernel';
import { admit, type ConnectionCaps } from './connection-caps.ts';
import { isOverdue, nextPhase, type PhaseLimits } from './connection-phase.ts';
import { type Connection, createConnectionTable, nameOf } from './connection-table.ts';

/** The open connections of a port that speaks HTTP. */
export interface Connections {
  /** Takes a new connection in, or closes it; false when it closed it. */
  take(socket: Socket): boolean;
  /** Its first byte came: a TLS handshake begins, or HTTP in clear. */
  heard(socket: Socket, isTls: boolean): void;
  /** Its handshake is done; HTTP is spoken through `secured` from now on. */
  secured(secured: Socket): void;
  /** A request's header came. */
  request(request: IncomingMessage, response: ServerResponse): void;
  /** Closes those between two requests. */
  closeIdle(): void;
  /** Cuts all of them, and reviews them no more. */
  destroyAll(): void;
}

const reviewEveryMs = 1_000;

/**
 * Keeps the connections of a port within their caps and closes those that are overdue. (Node has deadlines of its own for requests, but
 * enforces them only in servers that listen by themselves.) With all places taken a new connection gets the place of the
 * one that waits longest without a request in work, of the network that holds the most; trusted proxies keep theirs.
 */
export function createConnections({
  clock,
  caps,
  limits,
  isProxy,
  onRefused,
}: {
  readonly clock: Clock;
  readonly caps: ConnectionCaps;
  readonly limits: PhaseLimits;
  readonly isProxy: (address: string) => boolean;
  /** A connection was closed because no place was left. */
  readonly onRefused: (address: string, reason: 'network' | 'total') => void;
}): Connections {
  const table = createConnectionTable();
  let reviewing: Disposable | undefined;

  const advance = (one: Connection) => {
    if (one.phase.kind === 'silent' || one.phase.kind === 'handshake') return;
    const { begun, incoming, unanswered, spoken } = one;
    // A request closes only after its body was read to the end. Handlers do not read the body of a GET, so `complete` decides here.
    for (const request of incoming) if (request.complete) incoming.delete(request);
    const facts = {
      ...{ begun, incomplete: incoming.size, unanswered: unanswered.size, bytesRead: spoken.bytesRead },
      isHandedOver: [...unanswered].every((response) => response.writableEnded),
      pendingBytes: spoken.writableLength,
    };
    one.phase = nextPhase(one.phase, facts, clock.monoMs());
  };
  const review = () => {
    reviewing = undefined;
    const nowMs = clock.monoMs();
    for (const one of table.all()) {
      advance(one);
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
        table.remove(idlest);
      }
      const one: Connection = {
        ...{ name, network, isProxy: proxied, socket, spoken: socket },
        phase: { kind: 'silent', sinceMs: clock.monoMs() },
        ...{ begun: 0, incoming: new Set(), unanswered: new Set() },
      };
      table.add(one);
      socket.once('close', () => table.remove(one));
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
    request(request, response) {
      const one = table.find(request.socket);
      if (one === undefined) return;
      one.begun += 1;
      one.incoming.add(request);
      one.unanswered.add(response);
      request.once('close', () => {
        one.incoming.delete(request);
        advance(one);
      });
      response.once('close', () => {
        one.unanswered.delete(response);
        advance(one);
      });
    },
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
