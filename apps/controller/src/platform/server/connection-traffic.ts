import { type Clock, createTurnQueue } from '@vantage/kernel';
import { nextPhase } from './connection-phase.ts';
import type { Connection, ConnectionTable, SlicedAnswer } from './connection-table.ts';
import { type ArrivedRequest, bytesOfWaiting, createRequestTurns } from './request-turns.ts';
import { createUnsentBytes } from './unsent-bytes.ts';

/** The requests and answers of the connections of a port. */
export interface ConnectionTraffic {
  /** A request's header came. */
  request(arrived: ArrivedRequest): void;
  /** Brings the phase of a connection and its unsent bytes up to date. */
  advance(one: Connection): void;
  /** The connection is over. */
  remove(one: Connection): void;
}

/**
 * Creates the traffic. One request of a connection is in work, and all connections together keep `capBytes` at most
 * for clients that do not read.
 */
export function createConnectionTraffic({
  clock,
  table,
  capBytes,
  onUnread,
}: {
  readonly clock: Clock;
  readonly table: ConnectionTable;
  readonly capBytes: number;
  /** See `createConnections`. */
  readonly onUnread: (address: string, reason: 'bytes' | 'requests') => void;
}): ConnectionTraffic {
  const unsent = createUnsentBytes<Connection>({ capBytes, all: () => table.all() });

  const readPhase = (one: Connection) => {
    if (one.phase.kind === 'silent' || one.phase.kind === 'handshake') return;
    const { begun, incoming, unanswered, spoken } = one;
    // A request closes only after its body was read to the end. Handlers do not read the body of a GET, so `complete`
    // decides here.
    for (const request of incoming) if (request.complete) incoming.delete(request);
    const facts = {
      begun,
      incomplete: incoming.size,
      unanswered: unanswered.size,
      bytesRead: spoken.bytesRead,
      isHandedOver: [...unanswered].every((response) => response.writableEnded || one.body !== undefined),
      pendingBytes: spoken.writableLength + (one.body?.remainingBytes ?? 0),
    };
    one.phase = nextPhase(one.phase, facts, clock.monoMs());
  };
  const note = (one: Connection) => {
    for (const greatest of unsent.note(one, keptBytes(one))) {
      onUnread(greatest.socket.remoteAddress ?? '', 'bytes');
      remove(greatest);
      greatest.socket.destroy();
    }
  };
  const remove = (one: Connection) => {
    table.remove(one);
    turns.drop(one);
    unsent.note(one, 0);
  };
  const turns = createRequestTurns<Connection>({
    queue: createTurnQueue({ later: setImmediate }),
    start(one, { request, response, begin }) {
      one.begun += 1;
      one.incoming.add(request);
      one.unanswered.add(response);
      request.once('close', () => {
        one.incoming.delete(request);
        readPhase(one);
      });
      response.once('prefinish', () => note(one)); // all of the answer is handed to the socket
      response.once('pipe', (source: unknown) => {
        if (isSliced(source)) one.body = source;
        note(one);
      });
      response.once('close', () => {
        one.unanswered.delete(response);
        one.body = undefined;
        turns.next(one);
        readPhase(one);
        if (one.unsentBytes > 0) note(one);
      });
      begin();
    },
  });

  return {
    request(arrived) {
      const one = table.find(arrived.request.socket);
      if (one === undefined) return; // it is over, and nobody would get the answer
      if (!turns.arrive(one, arrived)) onUnread(one.socket.remoteAddress ?? '', 'requests');
      else if (one.waiting.length > 0) note(one);
    },
    advance(one) {
      readPhase(one);
      if (one.unsentBytes > 0 || one.unanswered.size > 0) note(one);
    },
    remove,
  };
}

/** Bytes that a connection keeps in memory until its client takes them. */
function keptBytes(one: Connection): number {
  if (one.socket.destroyed) return 0;
  const ofBody = one.body === undefined || one.body.isShared ? 0 : one.body.remainingBytes;
  return one.spoken.writableLength + ofBody + bytesOfWaiting(one);
}

function isSliced(source: unknown): source is SlicedAnswer {
  return typeof source === 'object' && source !== null && 'remainingBytes' in source && 'isShared' in source;
}
