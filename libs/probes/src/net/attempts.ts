import { createSocket } from 'node:dgram';
import { connect, type Socket } from 'node:net';
import { type Json, resultCode } from '@vantage/domain';
import type { ReadTcpFigures, TcpFigures } from '@vantage/icmp';
import type { Address } from '../contract/dial.ts';
import { Failure, networkFailure, noRoute, showPeer, systemCode } from '../contract/failure.ts';
import type { ProbeContext } from '../contract/probe.ts';

/** RFC 8305 section 8: Connection Attempt Delay, milliseconds. */
const attemptDelayMs = 250;

/** A connected socket and its peer. */
export interface Connected {
  readonly socket: Socket;
  readonly at: Address;
}

type Context = Pick<ProbeContext, 'clock' | 'signal' | 'stopwatch' | 'addDetail' | 'own'>;

interface Attempt {
  readonly at: Address;
  readonly startedMs: number;
  readonly socket: Socket;
  result: string;
  tookMs: number | undefined;
}

/**
 * Connects to the first of the addresses that answers (RFC 8305 section 5: the next starts after 250 ms or when the one
 * before failed); the others are dropped. Spends the `connect` phase, which ends when the used address answered
 * (`connectTime`). Throws the most specific failure when none answers.
 */
export async function connectFirst(
  context: Context,
  addresses: readonly Address[],
  { port, tcpFigures }: { readonly port: number; readonly tcpFigures: ReadTcpFigures },
): Promise<Connected> {
  const attempts: Attempt[] = [];
  const { clock, signal, stopwatch } = context;
  // Earlier connects of this check, before a redirect, count too.
  const beforeMs = stopwatch.read().connect;
  stopwatch.enter('connect');
  const firstMs = clock.monoMs();
  if (addresses.length > 1) context.addDetail('Attempts', () => attempts.map((each) => shown(each, port)));
  const winner = await new Promise<Connected | undefined>((resolve, reject) => {
    let timer: Disposable | undefined;
    let open = 0;
    let next = 0;
    const finish = (then: () => void, keep?: Socket) => {
      timer?.[Symbol.dispose]();
      signal.removeEventListener('abort', onAbort);
      for (const { socket } of attempts) {
        release(socket);
        if (socket !== keep) socket.destroy();
      }
      then();
    };
    const onAbort = () => finish(() => reject(signal.reason));
    const start = () => {
      timer?.[Symbol.dispose]();
      const at = addresses[next];
      if (at === undefined) return;
      next += 1;
      open += 1;
      const attempt = begin(at, port, attempts.length === 0 ? firstMs : clock.monoMs());
      const { socket } = attempt;
      attempts.push(attempt);
      context.own({ [Symbol.dispose]: () => void socket.destroy() });
      socket.once('connect', () => {
        const seenMs = clock.monoMs() - attempt.startedMs;
        const tookMs = connectTime(seenMs, tcpFigures(socket));
        stopwatch.conclude('connect', beforeMs + attempt.startedMs - firstMs + tookMs);
        settle(attempt, 'connected', tookMs);
        finish(() => resolve({ socket, at }), socket);
      });
      socket.on('error', (error) => {
        if (attempt.tookMs !== undefined) return;
        settle(attempt, systemCode(error) || error.message, clock.monoMs() - attempt.startedMs);
        open -= 1;
        if (next < addresses.length) start();
        else if (open === 0) finish(() => resolve(undefined));
      });
      if (next < addresses.length) timer = clock.timer(attemptDelayMs, start);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    start();
  });
  if (winner) return winner;
  throw await mostSpecificFailure(attempts, port);
}

function begin(at: Address, port: number, startedMs: number): Attempt {
  const { address: host, family } = at;
  const socket = connect({ host, port, family, noDelay: true, autoSelectFamily: false });
  return { at, startedMs, socket, result: 'no answer', tookMs: undefined };
}

/**
 * Takes this check's listeners off its socket, so that the socket holds nothing of the check. Node's closed sockets
 * stay in memory until the old generation is collected, and would keep the whole check there.
 */
function release(socket: Socket): void {
  socket.removeAllListeners('connect').removeAllListeners('error').on('error', ignore);
}

function ignore(): void {
  // The reader of a connection has a listener of its own; an error of a socket that nobody uses matters to nobody.
}

function settle(attempt: Attempt, result: string, tookMs: number): void {
  attempt.result = result;
  attempt.tookMs = tookMs;
}

function shown(attempt: Attempt, port: number): Json {
  return {
    Address: showPeer(attempt.at.address, port),
    Result: attempt.result,
    Ms: attempt.tookMs === undefined ? null : Math.round(attempt.tookMs * 1000) / 1000,
  };
}

/** A refusal is more specific than silence, and silence more than a missing route. */
async function mostSpecificFailure(attempts: readonly Attempt[], port: number): Promise<Failure> {
  const failures: Failure[] = [];
  for (const { at, result } of attempts) {
    const peer = showPeer(at.address, port);
    const routeless = result === 'ENETUNREACH' && (await lacksRoute(at));
    failures.push(routeless ? noRoute(at.address) : networkFailure({ code: result }, peer));
  }
  for (const code of [resultCode.protocol, resultCode.timeout]) {
    const specific = failures.find((each) => each.code === code);
    if (specific) return specific;
  }
  return failures[0] ?? new Failure(resultCode.agent, 'no address to connect to');
}

/**
 * Does this machine's own routing table lack the way? (A connected datagram socket asks it without sending anything.)
 */
function lacksRoute(at: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(at.family === 6 ? 'udp6' : 'udp4');
    const finish = (lacks: boolean) => {
      socket.close();
      resolve(lacks);
    };
    socket.once('error', (error) => finish(systemCode(error) === 'ENETUNREACH'));
    socket.once('connect', () => finish(false));
    socket.connect(9, at.address);
  });
}

/**
 * How long a connect took, milliseconds. `seenMs` passed between the connect call and its event in this process. The
 * event waits for the event loop, and the kernel's handshake time (from the SYN to its answer) does not, so the
 * kernel's counts unless it cannot be right:
 *
 * | figures of the kernel | ConnectTime |
 * |---|---|
 * | none: other systems than Linux, no addon | seen |
 * | a SYN was sent again: the kernel's time is none of the whole handshake (Karn's algorithm, RFC 6298 section 3) | seen |
 * | more samples than the handshake's: the deviation is not half of the time (RFC 6298 section 2.2) | seen |
 * | zero, or more than seen | seen |
 * | else | the kernel's |
 */
export function connectTime(seenMs: number, figures: TcpFigures | undefined): number {
  if (figures === undefined || figures.sentAgain > 0) return seenMs;
  const { rttUs, rttvarUs } = figures;
  const oneSample = Math.abs(rttUs - 2 * rttvarUs) <= 1;
  const kernelMs = rttUs / 1000;
  return oneSample && kernelMs > 0 && kernelMs <= seenMs ? kernelMs : seenMs;
}
