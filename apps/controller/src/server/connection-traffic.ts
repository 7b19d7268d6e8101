import { type Clock, createTurnQueue, declareShare } from '@vantage/kernel';
import { nextPhase } from './connection-phase.ts';
import type { ConnectionTable, HttpConnection, SlicedAnswer } from './connection-table.ts';
import { type ArrivedRequest, bytesOfWaiting, createRequestTurns } from './request-turns.ts';
import { createUnsentBytes } from './unsent-bytes.ts';

declareShare({
  name: 'pipelined_requests',
  limit: '1,024 wait',
  filledBy: 'strangers',
  share: '64 a connection, 256 an address (IPv6: /64); addresses take turns',
});

/** The requests and answers of the connections of a port. */
export interface ConnectionTraffic {
  /** Call it when the header of a request has arrived. */
  request(arrived: ArrivedRequest): void;
  /** Brings the phase of a connection and its unsent bytes up to date. */
  advance(connection: HttpConnection): void;
  /** Call it when a connection has ended. */
  remove(connection: HttpConnection): void;
}

/**
 * Creates the traffic. A connection works on one request at a time, and all connections together buffer at most
 * `capBytes` for clients that do not read.
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
  const unsent = createUnsentBytes<HttpConnection>({ capBytes, all: () => table.all() });

  const readPhase = (connection: HttpConnection) => {
    if (connection.phase.kind === 'silent' || connection.phase.kind === 'handshake') return;
    const { begun, incoming, unanswered, httpSocket } = connection;
    // A request emits `close` only after its body was read. Handlers do not read the body of a GET, so `complete`
    // decides.
    for (const request of incoming) if (request.complete) incoming.delete(request);
    const facts = {
      begun,
      incomplete: incoming.size,
      unanswered: unanswered.size,
      bytesRead: httpSocket.bytesRead,
      isHandedOver: [...unanswered].every(
        (response) => response.writableEnded || connection.body !== undefined,
      ),
      pendingBytes: httpSocket.writableLength + (connection.body?.remainingBytes ?? 0),
    };
    connection.phase = nextPhase(connection.phase, facts, clock.monoMs());
  };
  const note = (connection: HttpConnection) => {
    for (const largest of unsent.note(connection, bufferedBytes(connection))) {
      onUnread(largest.socket.remoteAddress ?? '', 'bytes');
      remove(largest);
      largest.socket.destroy();
    }
  };
  const remove = (connection: HttpConnection) => {
    table.remove(connection);
    turns.drop(connection);
    unsent.note(connection, 0);
  };
  const turns = createRequestTurns<HttpConnection>({
    queue: createTurnQueue({ later: setImmediate }),
    start(connection, { request, response, begin }) {
      connection.begun += 1;
      connection.incoming.add(request);
      connection.unanswered.add(response);
      request.once('close', () => {
        connection.incoming.delete(request);
        readPhase(connection);
      });
      response.once('prefinish', () => note(connection)); // the socket has the whole answer
      response.once('pipe', (source: unknown) => {
        if (isSliced(source)) connection.body = source;
        note(connection);
      });
      response.once('close', () => {
        connection.unanswered.delete(response);
        connection.body = undefined;
        turns.next(connection);
        readPhase(connection);
        if (connection.unsentBytes > 0) note(connection);
      });
      begin();
    },
  });

  return {
    request(arrived) {
      const connection = table.find(arrived.request.socket);
      if (connection === undefined) return; // it has ended, so no client would get the answer
      if (!turns.arrive(connection, arrived)) onUnread(connection.socket.remoteAddress ?? '', 'requests');
      else if (connection.waiting.length > 0) note(connection);
    },
    advance(connection) {
      readPhase(connection);
      if (connection.unsentBytes > 0 || connection.unanswered.size > 0) note(connection);
    },
    remove,
  };
}

/** The bytes that a connection buffers until its client reads them. */
function bufferedBytes(connection: HttpConnection): number {
  if (connection.socket.destroyed) return 0;
  const ofBody =
    connection.body === undefined || connection.body.isShared ? 0 : connection.body.remainingBytes;
  return connection.httpSocket.writableLength + ofBody + bytesOfWaiting(connection);
}

function isSliced(source: unknown): source is SlicedAnswer {
  return typeof source === 'object' && source !== null && 'remainingBytes' in source && 'isShared' in source;
}
