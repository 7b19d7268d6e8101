import type { Socket } from 'node:net';
import { resultCode } from '@vantage/domain';
import { closedEarly, Failure, networkFailure } from '../contract/failure.ts';

/** The maximum length of a server's line, bytes. */
const maxLine = 4096;
/** With more unread bytes, the socket is paused until a read. A read cannot wait for more than this. */
const maxWaiting = 256 * 1024;

/**
 * The received, unread bytes of a socket. Every read waits for the bytes that it needs. It ends with a Failure when the
 * server closes, resets or breaks the protocol, and with the signal's reason when it aborts. Only one read may run at a
 * time.
 */
export interface ReceiveBuffer {
  /** The number of bytes received so far. */
  readonly received: number;
  /** The reason why no more bytes arrive. */
  readonly ended: Failure | undefined;
  attach(socket: Socket): void;
  /** Throws Failure 3 if the socket has unread bytes, which the server sent before TLS. */
  detach(socket: Socket): void;
  /** A line with its LF. `isText`: a NUL breaks the protocol (code 3). */
  readLine(isText: boolean): Promise<Buffer>;
  /** All waiting bytes, at least one and at most `max`. */
  readSome(max: number): Promise<Buffer>;
  /** Exactly `count` bytes; at most 256 KiB. */
  readExactly(count: number): Promise<Buffer>;
  /** The first unread bytes as Latin-1, at most `count`. */
  start(count: number): string;
  /** Ends a waiting read. Does not close the socket. */
  close(): void;
}

/** Failure 3 for bytes that break the protocol. `what` describes the bytes. */
export function wrongProtocol(peer: string, what: string): Failure {
  return new Failure(resultCode.protocol, `${peer} sent ${what}: this is not the protocol expected`, {
    reason: 'wrong-protocol',
  });
}

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

  /** Waits for further bytes. */
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
        if (upTo > maxLine) throw wrongProtocol(peer, `a line over ${maxLine / 1024} KiB`);
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
