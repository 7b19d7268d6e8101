import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { declareState, type TurnQueue } from '@vantage/kernel';
import { stopParser } from './stop-parser.ts';

/** A request whose header has arrived. */
export interface ArrivedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Passes it to the API. */
  readonly begin: () => void;
}

/** A connection with its requests that wait for the previous answer. */
export interface Pipeline {
  readonly network: string;
  readonly httpSocket: Socket;
  readonly unanswered: ReadonlySet<ServerResponse>;
  readonly waiting: ArrivedRequest[];
  /** Too many requests waited: later ones are not read, and the connection ends after the answers to the others. */
  isEnding: boolean;
}

/** The maximum numbers of requests that wait for the previous answer on their connections. */
interface WaitingLimits {
  readonly perConnection: number;
  readonly perNetwork: number;
  readonly total: number;
}

/**
 * One read (64 KiB) contains up to 3,640 requests. Parsing a request costs time, and ten times as much when its
 * connection breaks, because Node creates an error with a stack for each. Clients that pipeline send only a few
 * requests ahead.
 */
const waitingLimits: WaitingLimits = { perConnection: 64, perNetwork: 256, total: 1_024 };

/** The memory of a waiting request, and of all headers and bodies of one read, bytes. */
const waitingBytes = { request: 2_048, read: 65_536 } as const;

/** The requests of all connections of a port. On each connection one is running, and the others wait for its answer. */
export interface RequestTurns<T extends Pipeline> {
  /**
   * Starts the request, or queues it. False: too many requests wait, and the connection ends after the pending answers.
   */
  arrive(pipeline: T, arrived: ArrivedRequest): boolean;
  /** Starts the next request; call it when the answer has been sent. */
  next(pipeline: T): void;
  /** Removes the waiting requests of a connection that has ended. */
  drop(pipeline: T): void;
}

const tracked = declareState({
  name: 'networks_with_requests',
  entries: waitingLimits.total,
  entryBytes: 150,
  filledBy: 'strangers',
  atBound: '503',
});

/**
 * Creates the turns. `start` begins a request. Waiting requests begin through `queue`: an answer that needs no I/O
 * takes no iteration of the event loop, and thousands of such answers would block all other clients.
 */
export function createRequestTurns<T extends Pipeline>({
  start,
  queue,
  limits = waitingLimits,
}: {
  readonly start: (pipeline: T, arrived: ArrivedRequest) => void;
  readonly queue: TurnQueue;
  readonly limits?: WaitingLimits;
}): RequestTurns<T> {
  const perNetwork = tracked(new Map<string, number>());
  const watched = new WeakSet<Socket>();
  let total = 0;

  const count = (network: string, change: number) => {
    total += change;
    const now = (perNetwork.get(network) ?? 0) + change;
    if (now > 0) perNetwork.set(network, now);
    else perNetwork.delete(network);
  };
  /** Stops reading. Node resumes a socket at the end of each request, so the socket is paused again there. */
  const pauseReading = (pipeline: T, socket: Socket) => {
    if (!watched.has(socket)) {
      watched.add(socket);
      socket.on('resume', () => {
        if (pipeline.waiting.length > 0) socket.pause();
      });
    }
    socket.pause();
  };
  const drop = (pipeline: T) => {
    count(pipeline.network, -pipeline.waiting.length);
    pipeline.waiting.length = 0;
  };
  const startNext = (pipeline: T) => {
    const { network, waiting, httpSocket } = pipeline;
    if (httpSocket.destroyed) return drop(pipeline);
    const arrived = waiting.shift();
    if (arrived === undefined) return; // the connection was closed
    count(network, -1);
    start(pipeline, arrived);
    if (waiting.length === 0) httpSocket.resume();
  };

  return {
    arrive(pipeline, arrived) {
      const { network, waiting, httpSocket } = pipeline;
      if (pipeline.isEnding) return true; // parsed before the parser stopped
      if (pipeline.unanswered.size === 0 && waiting.length === 0) {
        start(pipeline, arrived);
        return true;
      }
      const ofNetwork = perNetwork.get(network) ?? 0;
      if (waiting.length >= limits.perConnection || ofNetwork >= limits.perNetwork || total >= limits.total) {
        pipeline.isEnding = true;
        stopParser(httpSocket);
        return false;
      }
      waiting.push(arrived);
      count(network, 1);
      pauseReading(pipeline, httpSocket);
      return true;
    },
    next(pipeline) {
      const { network, waiting, httpSocket, isEnding } = pipeline;
      if (waiting.length > 0) queue.add(network, () => startNext(pipeline));
      else if (isEnding && !httpSocket.destroyed) {
        httpSocket.end();
        httpSocket.resume(); // drains the input: a TCP reset could discard the last answers
      }
    },
    drop,
  };
}

/** The memory of the waiting requests of a connection, bytes. */
export function bytesOfWaiting({ waiting }: Pick<Pipeline, 'waiting'>): number {
  return waiting.length === 0 ? 0 : waitingBytes.read + waiting.length * waitingBytes.request;
}
