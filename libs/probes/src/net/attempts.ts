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

type Context = Pick<ProbeContext, 'clock' | 'onCut' | 'stopwatch' | 'addDetail' | 'own'>;

/**
 * Connects to the first of the addresses that answers (RFC 8305 section 5: the next starts after 250 ms or when the one
 * before failed); the others are dropped. Spends the `connect` phase, which ends when the used address answered
 * (`connectTime`). Throws the most specific failure when none answers.
 */
export function connectFirst(
  context: Context,
  addresses: readonly Address[],
  place: { readonly port: number; readonly tcpFigures: ReadTcpFigures },
): Promise<Connected> {
  return new Promise((resolve, reject) => new Race(context, addresses, { ...place, resolve, reject }));
}

/** The port and the reader of one race, and its two ends. */
interface RaceSettings {
  readonly port: number;
  readonly tcpFigures: ReadTcpFigures;
  readonly resolve: (winner: Connected) => void;
  readonly reject: (reason: unknown) => void;
}

/** The attempts of one connect; a class, because functions made for each check would be most of its memory. */
class Race {
  private readonly attempts: Attempt[] = [];
  private readonly context: Context;
  private readonly addresses: readonly Address[];
  private readonly settings: RaceSettings;
  /** Milliseconds of earlier connects of this check, before a redirect. They count too. */
  private readonly beforeMs: number;
  private readonly firstMs: number;
  private readonly cutting: Disposable;
  private timer: Disposable | undefined;
  private open = 0;

  constructor(context: Context, addresses: readonly Address[], settings: RaceSettings) {
    this.context = context;
    this.addresses = addresses;
    this.settings = settings;
    this.beforeMs = context.stopwatch.read().connect;
    context.stopwatch.enter('connect');
    this.firstMs = context.clock.monoMs();
    if (addresses.length > 1)
      context.addDetail('Attempts', () => this.attempts.map((each) => shown(each, settings.port)));
    this.cutting = context.onCut((reason) => {
      this.finish();
      settings.reject(reason);
    });
    this.startNext();
  }

  connected(attempt: Attempt): void {
    const { beforeMs, firstMs, context, settings } = this;
    const seenMs = context.clock.monoMs() - attempt.startedMs;
    const tookMs = connectTime(seenMs, settings.tcpFigures(attempt.socket));
    context.stopwatch.conclude('connect', beforeMs + attempt.startedMs - firstMs + tookMs);
    attempt.ended('connected', tookMs);
    this.finish(attempt.socket);
    settings.resolve({ socket: attempt.socket, at: attempt.at });
  }

  failed(attempt: Attempt, error: Error): void {
    if (attempt.tookMs !== undefined) return;
    attempt.ended(systemCode(error) || error.message, this.context.clock.monoMs() - attempt.startedMs);
    this.open -= 1;
    if (this.attempts.length < this.addresses.length) this.startNext();
    else if (this.open === 0) {
      this.finish();
      mostSpecificFailure(this.attempts, this.settings.port).then(this.settings.reject, this.settings.reject);
    }
  }

  private startNext(): void {
    const { context, attempts, addresses } = this;
    this.timer?.[Symbol.dispose]();
    const at = addresses[attempts.length];
    if (at === undefined) return;
    this.open += 1;
    const startedMs = attempts.length === 0 ? this.firstMs : context.clock.monoMs();
    const attempt = new Attempt(this, at, { port: this.settings.port, startedMs });
    attempts.push(attempt);
    context.own(attempt);
    if (attempts.length < addresses.length)
      this.timer = context.clock.timer(attemptDelayMs, () => this.startNext());
  }

  /** Ends all attempts; the connection to keep stays open. */
  private finish(keep?: Socket): void {
    this.timer?.[Symbol.dispose]();
    this.cutting[Symbol.dispose]();
    for (const attempt of this.attempts) {
      attempt.race = undefined;
      if (attempt.socket !== keep) attempt.socket.destroy();
    }
  }
}

/**
 * One attempt. Its listeners stay on the socket, so they reach the check only by `race`, which is undefined after the
 * race: Node's closed sockets stay in memory until the old generation is collected, and would keep the whole check
 * there. Disposing it closes the socket.
 */
class Attempt implements Disposable {
  readonly at: Address;
  readonly startedMs: number;
  readonly socket: Socket;
  result = 'no answer';
  tookMs: number | undefined;
  race: Race | undefined;

  constructor(
    race: Race,
    at: Address,
    { port, startedMs }: { readonly port: number; readonly startedMs: number },
  ) {
    const { address: host, family } = at;
    this.at = at;
    this.startedMs = startedMs;
    this.race = race;
    this.socket = connect({ host, port, family, noDelay: true, autoSelectFamily: false });
    this.socket.on('connect', () => this.race?.connected(this));
    // After the race: an error of a socket that nobody reads yet matters to nobody; a reader has a listener of its own.
    this.socket.on('error', (error) => this.race?.failed(this, error));
  }

  ended(result: string, tookMs: number): void {
    this.result = result;
    this.tookMs = tookMs;
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
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
