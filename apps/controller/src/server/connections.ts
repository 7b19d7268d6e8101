import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, clientNetwork } from '@vantage/kernel';
import { admit, type ConnectionCaps } from './connection-caps.ts';
import { type ConnectionPhase, isOverdue, nextPhase, type PhaseLimits } from './connection-phase.ts';

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
  /** Cuts all of them, and looks after them no more. */
  destroyAll(): void;
}

interface Connection {
  readonly name: string;
  readonly network: string;
  readonly isProxy: boolean;
  /** What closes it: the TCP connection. */
  readonly socket: Socket;
  /** What HTTP is spoken through: the TCP connection, or TLS on it. */
  spoken: Socket;
  phase: ConnectionPhase;
  begun: number;
  /** Requests whose header has come, and whose end has not. */
  readonly incoming: Set<IncomingMessage>;
  readonly unanswered: Set<ServerResponse>;
}

const lookEveryMs = 1_000;

/**
 * Keeps the connections of a port within their caps and closes those that are overdue. (Node has deadlines of its own for requests, but
 * looks after them only in servers that listen by themselves.) With all places taken a new connection gets the place of the
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
  /** A connection was closed for want of a place. */
  readonly onRefused: (address: string, reason: 'network' | 'total') => void;
}): Connections {
  const open = new Map<string, Connection>();
  const perNetwork = new Map<string, Set<Connection>>();
  let looking: Disposable | undefined;

  const advance = (one: Connection) => {
    if (one.phase.kind === 'silent' || one.phase.kind === 'handshake') return;
    const { begun, incoming, unanswered, spoken } = one;
    // A request closes only once somebody has read it to its end; that it came whole is known before, and nobody reads a GET.
    for (const request of incoming) if (request.complete) incoming.delete(request);
    const facts = {
      ...{ begun, incomplete: incoming.size, unanswered: unanswered.size, bytesRead: spoken.bytesRead },
      isHandedOver: [...unanswered].every((response) => response.writableEnded),
      pendingBytes: spoken.writableLength,
    };
    one.phase = nextPhase(one.phase, facts, clock.monoMs());
  };
  const look = () => {
    looking = undefined;
    const nowMs = clock.monoMs();
    for (const one of open.values()) {
      advance(one);
      if (isOverdue(one.phase, nowMs, limits)) one.socket.destroy();
    }
    if (open.size > 0) looking = clock.timer(lookEveryMs, look);
  };
  const remove = (one: Connection) => {
    if (open.get(one.name) === one) open.delete(one.name);
    const same = perNetwork.get(one.network);
    same?.delete(one);
    if (same?.size === 0) perNetwork.delete(one.network);
  };
  /** The one that can go: of the network that holds the most, who waits longest without a request in work. */
  const findIdlest = (): Connection | undefined => {
    const crowds = [...perNetwork.values()].sort((a, b) => b.size - a.size);
    for (const crowd of crowds) {
      const waiting = [...crowd].filter((one) => !one.isProxy && sinceOf(one.phase) !== undefined);
      if (waiting.length > 0)
        return waiting.reduce((a, b) => ((sinceOf(b.phase) ?? 0) < (sinceOf(a.phase) ?? 0) ? b : a));
    }
    return undefined;
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
      const same = perNetwork.get(network) ?? new Set();
      const proxied = isProxy(remoteAddress);
      const admission = admit({ fromNetwork: same.size, open: open.size, isProxy: proxied }, caps);
      if (admission === 'refuse') return refuse(socket, 'network');
      if (admission === 'admit-and-evict') {
        const idlest = findIdlest();
        if (idlest === undefined) return refuse(socket, 'total');
        onRefused(idlest.socket.remoteAddress ?? '', 'total');
        idlest.socket.destroy();
        remove(idlest);
      }
      const one: Connection = {
        ...{ name, network, isProxy: proxied, socket, spoken: socket },
        phase: { kind: 'silent', sinceMs: clock.monoMs() },
        ...{ begun: 0, incoming: new Set(), unanswered: new Set() },
      };
      open.set(name, one);
      perNetwork.set(network, same.add(one));
      socket.once('close', () => remove(one));
      looking ??= clock.timer(lookEveryMs, look);
      return true;
    },
    heard(socket, isTls) {
      const one = open.get(nameOf(socket) ?? '');
      if (one === undefined) return;
      const sinceMs = clock.monoMs();
      one.phase = isTls ? { kind: 'handshake', sinceMs } : { kind: 'receiving', sinceMs, begun: 0 };
    },
    secured(secured) {
      const one = open.get(nameOf(secured) ?? '');
      if (one === undefined) {
        secured.destroy();
        return;
      }
      one.spoken = secured;
      one.phase = { kind: 'receiving', sinceMs: clock.monoMs(), begun: 0 };
    },
    request(request, response) {
      const one = open.get(nameOf(request.socket) ?? '');
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
      for (const { phase, socket } of open.values()) if (phase.kind === 'idle') socket.destroy();
    },
    destroyAll() {
      looking?.[Symbol.dispose]();
      looking = undefined;
      for (const { socket } of open.values()) socket.destroy();
    },
  };
}

/** TLS on a connection has the addresses and ports of the connection; no two open ones share all four. */
function nameOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string | undefined {
  if (remoteAddress === undefined) return undefined;
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}

/** Since when it waits without a request in work; undefined while there is one. */
function sinceOf(phase: ConnectionPhase): number | undefined {
  return phase.kind === 'answering' || phase.kind === 'sending' ? undefined : phase.sinceMs;
}
