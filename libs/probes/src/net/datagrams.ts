import { createSocket, type Socket } from 'node:dgram';
import { resultCode } from '@vantage/domain';
import type { Address, DialContext, Peer } from '../contract/dial.ts';
import { showPeer } from '../contract/display.ts';
import { Failure, networkFailure, noRoute, systemCode } from '../contract/failure.ts';

/** Waits before a datagram is sent again, milliseconds. */
const resendMs = [1000, 2000, 4000, 8000, 16_000];
const maxIgnored = 1000;

/** A UDP socket of a check. It is connected, so the kernel drops datagrams of other senders. */
export interface Datagrams extends Disposable {
  /** `10.0.0.53:53` */
  readonly peer: string;
  /** The address and port that the answers come to. */
  readonly local: Peer;
  /** The bytes of all answers. */
  readonly received: number;
  /**
   * Sends a request, again after 1, 2, 4 … s of silence. A function makes the bytes of each sending. `read` returns the
   * answer that a datagram has; a datagram for which it returns undefined is ignored, and an error that it throws ends
   * the check with code 3. Resolves to undefined after `limitMs`. Phase `ttfb` is the wait for the first answer, `ttlb`
   * the time after it.
   */
  ask<T>(
    request: Uint8Array | (() => Uint8Array),
    read: (message: Buffer) => T | undefined,
    limitMs: number,
  ): Promise<T | undefined>;
}

type DatagramContext = Pick<DialContext, 'clock' | 'signal' | 'stopwatch' | 'addDetail' | 'setPeers'>;

/** The failure for an answer that is not in the form of its protocol. */
export function malformed(peer: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const why = error instanceof Error ? error.message : 'unreadable';
  return new Failure(resultCode.protocol, `${peer} sent a malformed answer: ${why}`, { cause: error });
}

/**
 * Opens a socket to an address that the policy permitted (`dial.permitted`). Sends nothing. `waitsMs` are the waits
 * before a request is sent again.
 */
export function openDatagrams(
  context: DatagramContext,
  server: Address & { readonly port: number },
  waitsMs: readonly number[] = resendMs,
): Promise<Datagrams> {
  context.setPeers([server]);
  const type = server.family === 6 ? 'udp6' : 'udp4';
  const socket = createSocket({ type, lookup: (host, _options, done) => done(null, host, server.family) });
  const peer = showPeer(server.address, server.port);
  return new Promise((resolve, reject) => {
    socket.once('error', (error) => {
      socket.on('error', () => {}).close();
      // The error comes from this machine's routing table, because nothing was sent.
      const routeless = systemCode(error) === 'ENETUNREACH';
      reject(routeless ? noRoute(server.address) : networkFailure(error, peer));
    });
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve(new ConnectedDatagrams(context, socket, { peer, waitsMs }));
    });
    socket.connect(server.port, server.address);
  });
}

/** The request that waits for its answer. */
interface Waiting {
  message(bytes: Buffer): void;
  error(error: Error): void;
}

class ConnectedDatagrams implements Datagrams {
  readonly peer: string;
  received = 0;
  private readonly context: DatagramContext;
  private readonly socket: Socket;
  private readonly waitsMs: readonly number[];
  private waiting: Waiting | undefined;
  private sent = 0;
  private ignored = 0;
  private isAnswered = false;

  constructor(
    context: DatagramContext,
    socket: Socket,
    settings: { readonly peer: string; readonly waitsMs: readonly number[] },
  ) {
    this.context = context;
    this.socket = socket;
    this.peer = settings.peer;
    this.waitsMs = settings.waitsMs;
    socket.on('message', (bytes) => this.waiting?.message(bytes));
    socket.on('error', (error) => this.waiting?.error(error));
  }

  get local(): Peer {
    return this.socket.address();
  }

  ask<T>(
    request: Uint8Array | (() => Uint8Array),
    read: (message: Buffer) => T | undefined,
    limitMs: number,
  ): Promise<T | undefined> {
    const { clock, signal, stopwatch } = this.context;
    const timers: Disposable[] = [];
    return new Promise<T | undefined>((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const finish = (then: () => void) => {
        for (const timer of timers) timer[Symbol.dispose]();
        signal.removeEventListener('abort', onAbort);
        this.waiting = undefined;
        then();
      };
      const fail = (error: unknown) => finish(() => reject(networkFailure(error, this.peer)));
      const onAbort = () => finish(() => reject(signal.reason));
      let sends = 0;
      const send = () => {
        const bytes = typeof request === 'function' ? request() : request;
        this.socket.send(bytes, (error) => error && this.waiting === waiting && fail(error));
        const wait = this.waitsMs[sends];
        sends += 1;
        this.sent += 1;
        if (sends > 1) this.context.addDetail('Sent', this.sent);
        if (wait !== undefined) timers.push(clock.timer(wait, send));
      };
      const waiting: Waiting = {
        error: fail,
        message: (bytes) => {
          try {
            const answer = read(bytes);
            if (answer !== undefined) {
              this.answered(bytes);
              finish(() => resolve(answer));
            } else this.passOver();
          } catch (error) {
            finish(() => reject(malformed(this.peer, error)));
          }
        },
      };
      this.waiting = waiting;
      signal.addEventListener('abort', onAbort, { once: true });
      timers.push(clock.timer(limitMs, () => finish(() => resolve(undefined))));
      if (!this.isAnswered) stopwatch.enter('ttfb');
      send();
    });
  }

  private answered(bytes: Buffer): void {
    this.isAnswered = true;
    this.received += bytes.length;
    this.context.stopwatch.enter('ttlb');
  }

  private passOver(): void {
    this.ignored += 1;
    this.context.addDetail('Ignored', this.ignored);
    if (this.ignored >= maxIgnored) throw new Error('only answers to other questions');
  }

  [Symbol.dispose](): void {
    this.socket.removeAllListeners('message').on('error', () => {});
    this.socket.close();
  }
}
