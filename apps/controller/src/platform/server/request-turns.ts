import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { declareState, type TurnQueue } from '@vantage/kernel';
import { stopParser } from './stop-parser.ts';

/** A request whose header came. */
export interface ArrivedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Hands it to the API. */
  readonly begin: () => void;
}

/** A connection with the requests that wait for the answer before them. */
export interface Pipeline {
  readonly network: string;
  readonly spoken: Socket;
  readonly unanswered: ReadonlySet<ServerResponse>;
  readonly waiting: ArrivedRequest[];
  /** Too much waited: what came later is not read, and the connection ends after the answers to what came before. */
  isEnding: boolean;
}

/** How many requests may wait for the answer before them on their connections. */
interface WaitingLimits {
  readonly perConnection: number;
  readonly perNetwork: number;
  readonly total: number;
}

/**
 * One read (64 KiB) of the shortest requests holds 3,640. Each costs time where it is parsed, and ten times as much
 * where its connection breaks, because Node makes an error with a stack for each. Clients that pipeline at all send a
 * few requests ahead.
 */
const waitingLimits: WaitingLimits = { perConnection: 64, perNetwork: 256, total: 1_024 };

/** Memory of a waiting request, and of all headers and bodies of one read, bytes. */
const waitingBytes = { request: 2_048, read: 65_536 } as const;

/**
 * The requests of all connections of a port: on each connection one is in work, and the others wait until its answer
 * has left.
 */
export interface RequestTurns<T extends Pipeline> {
  /**
   * Starts the request, or keeps it until its turn comes. False: too many wait; the connection ends after the answers
   * that are due.
   */
  arrive(pipeline: T, arrived: ArrivedRequest): boolean;
  /** The answer in work has left: starts the next request. */
  next(pipeline: T): void;
  /** Forgets what waits; for a connection that is over. */
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
 * Creates the turns. `start` begins a request. What waited begins through `queue`: an answer that needs no input may
 * be made without an iteration of the event loop, and thousands of them would keep all other clients waiting.
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
  /** Reads no further. Node resumes a socket at the end of each request, so it is paused again there. */
  const hold = (pipeline: T, socket: Socket) => {
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
    const { network, waiting, spoken } = pipeline;
    if (spoken.destroyed) return drop(pipeline);
    const arrived = waiting.shift();
    if (arrived === undefined) return; // it was cut
    count(network, -1);
    start(pipeline, arrived);
    if (waiting.length === 0) spoken.resume();
  };

  return {
    arrive(pipeline, arrived) {
      const { network, waiting, spoken } = pipeline;
      if (pipeline.isEnding) return true; // it was parsed before the parser stopped
      if (pipeline.unanswered.size === 0 && waiting.length === 0) {
        start(pipeline, arrived);
        return true;
      }
      const ofNetwork = perNetwork.get(network) ?? 0;
      if (waiting.length >= limits.perConnection || ofNetwork >= limits.perNetwork || total >= limits.total) {
        pipeline.isEnding = true;
        stopParser(spoken);
        return false;
      }
      waiting.push(arrived);
      count(network, 1);
      hold(pipeline, spoken);
      return true;
    },
    next(pipeline) {
      const { network, waiting, spoken, isEnding } = pipeline;
      if (waiting.length > 0) queue.add(network, () => startNext(pipeline));
      else if (isEnding && !spoken.destroyed) {
        spoken.end();
        spoken.resume(); // what the client still sends is read away: a reset could take the last answers from it
      }
    },
    drop,
  };
}

/** Memory of the waiting requests of a connection, bytes. */
export function bytesOfWaiting({ waiting }: Pick<Pipeline, 'waiting'>): number {
  return waiting.length === 0 ? 0 : waitingBytes.read + waiting.length * waitingBytes.request;
}
