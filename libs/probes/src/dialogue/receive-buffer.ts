import type { Socket } from 'node:net';
import { resultCode } from '@vantage/domain';
import { closedEarly, Failure, networkFailure } from '../contract/failure.ts';

/** The longest line a server may send, bytes. */
const longestLine = 4096;
/** Unread bytes after which reading from the socket stops until somebody reads; more than this cannot be waited for. */
const maxWaiting = 256 * 1024;

/**
 * The bytes that a socket received and nobody read yet. Every read waits for what it needs; it ends with a Failure when
 * the server closes, resets or sends what the protocol cannot have, and with the signal's reason when it aborts. One
 * read at a time.
 */
export interface ReceiveBuffer {
  /** Bytes received so far. */
  readonly received: number;
  /** Why nothing more comes, if so. */
  readonly ended: Failure | undefined;
  /** Receives from this socket. */
  attach(socket: Socket): void;
  /**
   * Receives no longer from this socket. Throws Failure 3 when bytes of it are unread: the server sent them ahead of
   * TLS.
   */
  detach(socket: Socket): void;
  /** A line with its LF. `isText`: a NUL in it is no line of this protocol (code 3). */
  readLine(isText: boolean): Promise<Buffer>;
  /** At least one byte; all that is there, at most `max`. */
  readSome(max: number): Promise<Buffer>;
  /** Exactly `count` bytes; at most 256 KiB. */
  readExactly(count: number): Promise<Buffer>;
  /** The first unread bytes as Latin-1, at most `count`. */
  start(count: number): string;
  /** Ends a read that waits; does not close the socket. */
  close(): void;
}

/** Failure 3 for bytes that the protocol cannot have. `what` describes the bytes. */
export function wrongProtocol(peer: string, what: string): Failure {
  return new Failure(resultCode.protocol, `${peer} sent ${what}: this is not the protocol expected`, {
    reason: 'wrong-protocol',
  });
}

/** Starts with nothing received. `onFirstByte` is called with the first one. */
export function createReceiveBuffer({
  signal,
  peer,
  onFirstByte,
}: {
  readonly signal: AbortSignal;
  readonly peer: string;
  readonly onFirstByte: () => void;
}): ReceiveBuffer {
  let source: Socket | undefined;
  let waiting: Buffer = Buffer.alloc(0);
  let received = 0;
  let ended: Failure | undefined;
  let wake: (() => void) | undefined;
  let closed = false;

  const resume = () => {
    wake?.();
    wake = undefined;
  };
  const onData = (chunk: Buffer) => {
    if (received === 0) onFirstByte();
    received += chunk.length;
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    if (waiting.length > maxWaiting) source?.pause();
    resume();
  };
  const onEnd = () => {
    const when = received === 0 ? 'before it said anything' : 'before its answer was complete';
    ended ??= closedEarly(peer, when);
    resume();
  };
  const onError = (error: Error) => {
    ended ??= networkFailure(error, peer);
    resume();
  };
  signal.addEventListener('abort', resume, { once: true });

  /** Waits for more bytes than are waiting now. */
  const more = async () => {
    const before = received;
    while (received === before) {
      if (signal.aborted) throw signal.reason;
      if (ended) throw ended;
      if (closed) throw new Failure(resultCode.agent, 'the dialogue was closed while it was read');
      if (source?.isPaused()) source.resume();
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const take = (count: number) => {
    const taken = waiting.subarray(0, count);
    waiting = waiting.subarray(count);
    return taken;
  };

  return {
    get received() {
      return received;
    },
    get ended() {
      return ended;
    },
    attach(socket) {
      source = socket;
      socket.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onError);
    },
    detach(socket) {
      if (waiting.length > 0) throw wrongProtocol(peer, 'more text after it agreed to STARTTLS');
      socket.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onError);
    },
    async readLine(isText) {
      let searched = 0;
      while (true) {
        const end = waiting.indexOf(10, searched);
        const upTo = end < 0 ? waiting.length : end;
        if (isText && waiting.subarray(searched, upTo).includes(0)) throw wrongProtocol(peer, 'a NUL byte');
        if (upTo > longestLine) throw wrongProtocol(peer, `a line over ${longestLine / 1024} KiB`);
        if (end >= 0) return take(end + 1);
        searched = upTo;
        await more();
      }
    },
    async readSome(max) {
      if (waiting.length === 0) await more();
      return take(max);
    },
    async readExactly(count) {
      if (count > maxWaiting) throw wrongProtocol(peer, `${count} bytes at once`);
      while (waiting.length < count) await more();
      return take(count);
    },
    start: (count) => waiting.toString('latin1', 0, count),
    close() {
      closed = true;
      signal.removeEventListener('abort', resume);
      resume();
    },
  };
}
